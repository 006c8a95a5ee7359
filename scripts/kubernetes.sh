#!/bin/sh
# Builds what Kubernetes is made of, into .cache/kubernetes/<version>; skips what is there.
# usage: scripts/kubernetes.sh build|missing api|all|kind...     (missing: says by exit code 0 that something is)
#   api: what tests against an API server need; all: a one-node cluster as well; kind: the tool that makes one with Docker
set -eu
cd "$(dirname "$0")/.."

# Used where the machine's own Go is missing or older than Kubernetes asks for.
go_version=1.26.8
go_minimum=1.24

module=test/e2e/cluster/kubernetes
version=$(sed -n 's,^.*k8s\.io/kubernetes v\([0-9.]*\).*,\1,p' "$module/go.mod")
folder=$PWD/.cache/kubernetes/$version
api='k8s.io/kubernetes/cmd/kube-apiserver k8s.io/kubernetes/cmd/kubectl ./etcd'
node='k8s.io/kubernetes/cmd/kube-controller-manager k8s.io/kubernetes/cmd/kube-scheduler
  k8s.io/kubernetes/cmd/kubelet k8s.io/kubernetes/cmd/kube-proxy ./coredns ./pause'

say() { printf '[kubernetes] %s\n' "$*"; }
fail() { printf '[kubernetes] %s\n' "$*" >&2; exit 1; }

action=${1:-}
case $action in build | missing) shift ;; *) fail 'the first argument is build or missing' ;; esac
packages=
for set in "$@"; do
  case $set in
    api) packages="$packages $api" ;;
    all) packages="$packages $api $node" ;;
    kind) packages="$packages sigs.k8s.io/kind" ;;
    *) fail 'what to build is api, all or kind' ;;
  esac
done
wanted=
for package in $packages; do
  [ -x "$folder/${package##*/}" ] || wanted="$wanted $package"
done
if [ "$action" = missing ]; then [ -n "$wanted" ]; exit; fi
[ -n "$wanted" ] || exit 0

PATH=$PATH:/usr/local/go/bin:/usr/lib/go/bin
command -v go >/dev/null 2>&1 || fail 'needs Go, of any version since 1.18 (Debian: apt-get install golang-go)'
mkdir -p "$folder"
# A cache of its own, which can be removed by its owner like everything else in .cache.
GOMODCACHE=$PWD/.cache/kubernetes/go/modules GOCACHE=$PWD/.cache/kubernetes/go/build GOFLAGS='-modcacherw -buildvcs=false'
GOTOOLCHAIN=local CGO_ENABLED=0
export GOMODCACHE GOCACHE GOFLAGS GOTOOLCHAIN CGO_ENABLED
log=$PWD/.cache/kubernetes/build.log

# An older Go can fetch a newer one, as a module like any other: checked by the same checksum database.
have=$(go env GOVERSION)
if [ "$(printf '%s\n' "$go_minimum" "${have#go}" | sort -V | head -n 1)" != "$go_minimum" ]; then
  toolchain=golang.org/toolchain@v0.0.1-go$go_version.$(go env GOOS)-$(go env GOARCH)
  say "this machine has $have, Kubernetes needs $go_minimum: getting Go $go_version"
  (cd / && go mod download "$toolchain") >"$log" 2>&1 || { tail -n 20 "$log" >&2; fail "could not get Go, see $log"; }
  GOROOT=$GOMODCACHE/$toolchain
  chmod -R u+x "$GOROOT/bin" "$GOROOT/pkg/tool"
  PATH=$GOROOT/bin:$PATH
  export GOROOT
fi

names=$(for package in $wanted; do printf ' %s' "${package##*/}"; done)
say "building$names of Kubernetes $version from source, once (some minutes)"
about=k8s.io/component-base/version
flags="-s -w -X $about.gitVersion=v$version -X $about.gitMajor=${version%%.*} -X $about.gitMinor=$(echo "$version" | cut -d . -f 2)"
new=$folder/new
mkdir -p "$new"
# shellcheck disable=SC2086
(cd "$module" && go build -trimpath -ldflags "$flags" -o "$new/" $wanted) >"$log" 2>&1 ||
  { tail -n 20 "$log" >&2; fail "could not build Kubernetes, see $log"; }
mv -f "$new"/* "$folder/"
rmdir "$new"
