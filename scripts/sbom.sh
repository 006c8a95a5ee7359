#!/bin/sh
# Writes what is in the images that scripts/image.sh has built to dist/sbom/<target>.cdx.json.
# usage: scripts/sbom.sh docbuilder|gate|front|controller|all
set -eu
cd "$(dirname "$0")/.."

case ${1:-} in
  all) targets='docbuilder gate front controller' ;;
  docbuilder | gate | front | controller) targets=$1 ;;
  *)
    echo '[sbom] the first argument is docbuilder, gate, front, controller or all' >&2
    exit 2
    ;;
esac
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
PATH=$PWD/.tools/bin:$PATH
has() { command -v "$1" >/dev/null 2>&1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# The files of an image, as tar; by what scripts/image.sh builds with.
files() {
  if has docker && docker info >/dev/null 2>&1; then exported docker "$1"
  elif has buildah; then
    container=$(buildah from --pull-never "$1")
    tar -c -C "$(buildah mount "$container")" .
    buildah rm "$container" >/dev/null
  elif has podman; then exported podman "$1"
  else
    echo '[sbom] needs docker with a running engine, buildah or podman' >&2
    exit 1
  fi
}
exported() {
  container=$("$1" create "$2")
  "$1" export "$container"
  "$1" rm "$container" >/dev/null
}

mkdir -p dist/sbom
for target in $targets; do
  image=${IMAGE_REGISTRY:-localhost}/svc/$target:$version
  mkdir "$work/$target"
  files "$image" >"$work/$target.tar"
  # Only what it is read from: no links, no devices.
  tar -x -C "$work/$target" -f "$work/$target.tar" --wildcards --no-wildcards-match-slash --no-same-owner --no-anchored \
    'var/lib/dpkg/status' 'var/lib/dpkg/status.d/*' 'etc/os-release' 'usr/lib/os-release' 'usr/local/bin/node' \
    'package.json' 2>/dev/null || true
  rm "$work/$target.tar"
  node scripts/sbom.ts "$work/$target" "svc/$target" "$version" >"dist/sbom/$target.cdx.json"
  echo "[sbom] dist/sbom/$target.cdx.json: $(grep -c '"purl"' "dist/sbom/$target.cdx.json") parts"
done
