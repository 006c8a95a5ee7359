#!/bin/sh
# Builds container images with what this machine has: docker with an engine that answers, else buildah, else podman.
# Their names begin with IMAGE_REGISTRY, the registry that they are to be pushed to; `localhost` is nobody's.
# usage: scripts/image.sh docbuilder|gate|front|controller|all [flag of the build command]...
set -eu
cd "$(dirname "$0")/.."

case ${1:-} in
  all) targets='docbuilder gate front controller' ;;
  docbuilder | gate | front | controller) targets=$1 ;;
  *)
    echo '[image] the first argument is docbuilder, gate, front, controller or all' >&2
    exit 2
    ;;
esac
shift
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
[ -z "$(git status --porcelain 2>/dev/null)" ] || revision="$revision-dirty"

has() { command -v "$1" >/dev/null 2>&1; }

# Their own image format has no HEALTHCHECK.
if has docker && docker info >/dev/null 2>&1; then set -- docker build "$@"
elif has buildah; then set -- buildah build --layers --format docker "$@"
elif has podman; then set -- podman build --format docker "$@"
else
  echo '[image] needs docker with a running engine, buildah or podman (Debian: apt-get install buildah)' >&2
  exit 1
fi
for target in $targets; do
  image="${IMAGE_REGISTRY:-localhost}/svc/$target:$version"
  echo "[image] $image, with $1"
  "$@" --target "$target" --tag "$image" --build-arg "VERSION=$version" --build-arg "REVISION=$revision" .
done
