#!/bin/sh
# Runs the tests on an API server with those of other versions than the cluster's, which it builds into
# .cache/kubernetes/<version>: the oldest that is promised, those between, and the newest.
# usage: scripts/kube-versions.sh [version]...
set -eu
cd "$(dirname "$0")/.."

say() { printf '[versions] %s\n' "$*"; }
fail() { printf '[versions] %s\n' "$*" >&2; exit 1; }

# Not every patch release can be had whole: each is of some thirty modules.
[ $# != 0 ] || set -- 1.31.0 1.32.2 1.33.4 1.35.4 1.36.3 1.37.2

PATH=$PWD/.tools/bin:$PWD/node_modules/.bin:$PATH
log=$PWD/.cache/kubernetes/build.log
. scripts/support/go.sh
mkdir -p .cache/kubernetes

# A module cannot be built as a program where others that it needs are parts of its own repository: this one names them
# under the versions that they are published as.
make_module() {
  source=$(cd / && go mod download -json "k8s.io/kubernetes@v$1" | sed -n 's/.*"Dir": "\(.*\)",/\1/p')
  printf 'module svc/kubernetes\n\ngo 1.24\n\nrequire k8s.io/kubernetes v%s\n\nreplace (\n' "$1"
  sed -n "s#^\s*\(k8s\.io/[a-z-]*\) v0\.0\.0\$#\t\1 => \1 v0.${1#*.}#p" "$source/go.mod"
  echo ')'
}

# Checked by the checksum database, like every module that is not in a go.sum of this project.
build() {
  minor=${1#*.}
  about=k8s.io/component-base/version
  cd "$folder/module"
  go build -mod=mod -trimpath -o "$folder/" \
    -ldflags "-s -w -X $about.gitVersion=v$1 -X $about.gitMajor=1 -X $about.gitMinor=${minor%%.*}" k8s.io/kubernetes/cmd/kube-apiserver
}

for version in "$@"; do
  folder=$PWD/.cache/kubernetes/$version
  [ ! -x "$folder/kube-apiserver" ] || continue
  get_go
  say "building kube-apiserver $version from source, once (some minutes)"
  mkdir -p "$folder/module"
  make_module "$version" >"$folder/module/go.mod"
  (build "$version") >"$log" 2>&1 || { tail -n 20 "$log" >&2; fail "could not build it, see $log"; }
done
# They were built with these gigabytes, which nothing needs again.
rm -rf .cache/kubernetes/go

suites=$(node scripts/support/api-server-suites.ts)
for version in "$@"; do
  say "testing on an API server of Kubernetes $version"
  # shellcheck disable=SC2086
  SVC_TEST_KUBERNETES=$version mocha $suites
done
