#!/bin/sh
# Builds what Kubernetes is made of, into .cache/kubernetes/<version>; skips what is there.
# usage: scripts/kubernetes.sh build|missing api|kind|kind-node|compose...     (missing: says by exit code 0 that something is)
#   api: what tests against an API server need; kind: the tool that makes a cluster with Docker
#   kind-node: what scripts/kind-node.sh makes the image of a node of, where kind's own cannot be pulled
#     and Calico, which enforces NetworkPolicies there
#   compose: Docker's plugin of that name, as a program
set -eu
cd "$(dirname "$0")/.."

module=test/e2e/cluster/kubernetes
compose_module=test/e2e/cluster/compose
calico_module=test/e2e/cluster/network
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
compose=
calico=
for set in "$@"; do
  case $set in
    api) packages="$packages $api" ;;
    kind) packages="$packages sigs.k8s.io/kind" ;;
    kind-node) packages="$packages $api $node sigs.k8s.io/kind k8s.io/kubernetes/cmd/kubeadm
      github.com/rancher/local-path-provisioner"
      [ -x "$folder/calico-felix" ] || calico='felix/cmd/calico-felix cni-plugin/cmd/calico' ;;
    compose) [ -x "$folder/docker-compose" ] || compose=docker-compose ;;
    *) fail 'what to build is api, kind, kind-node or compose' ;;
  esac
done
wanted=
for package in $packages; do
  [ -x "$folder/${package##*/}" ] || wanted="$wanted $package"
done
if [ "$action" = missing ]; then [ -n "$wanted$compose$calico" ]; exit; fi
[ -n "$wanted$compose$calico" ] || exit 0

mkdir -p "$folder"
log=$PWD/.cache/kubernetes/build.log
. scripts/support/go.sh
get_go

new=$folder/new
mkdir -p "$new"

# go_build <folder of a module> <flags of the linker> <where to>, and packages
go_build() {
  (cd "$1" && shift && linker=$1 && shift && go build -trimpath -ldflags "-s -w $linker" -o "$@") >"$log" 2>&1 ||
    { tail -n 20 "$log" >&2; fail "could not build it, see $log"; }
}

if [ -n "$wanted" ]; then
  names=$(for package in $wanted; do printf ' %s' "${package##*/}"; done)
  say "building$names of Kubernetes $version from source, once (some minutes)"
  about=k8s.io/component-base/version
  flags="-X $about.gitVersion=v$version -X $about.gitMajor=${version%%.*} -X $about.gitMinor=$(echo "$version" | cut -d . -f 2)"
  # One of them needs a module whose name differs from another one's in a letter's case only, which Go refuses in one build.
  together= alone=
  for package in $wanted; do
    case $package in
      */local-path-provisioner) alone=$package ;;
      *) together="$together $package" ;;
    esac
  done
  # shellcheck disable=SC2086
  [ -z "$together" ] || go_build "$module" "$flags" "$new/" $together
  [ -z "$alone" ] || go_build "$module" "$flags" "$new/" "$alone"
fi
if [ -n "$compose" ]; then
  say 'building docker-compose from source, once (some minutes)'
  compose_version=$(sed -n 's,^.*docker/compose/v2 \(v[0-9.]*\).*,\1,p' "$compose_module/go.mod")
  go_build "$compose_module" "-X github.com/docker/compose/v2/internal.Version=$compose_version" \
    "$new/docker-compose" github.com/docker/compose/v2/cmd
fi
if [ -n "$calico" ]; then
  say 'building Calico from source, once (some minutes)'
  of_calico=github.com/projectcalico/calico
  # shellcheck disable=SC2046
  go_build "$calico_module" '' "$new/" $(printf "$of_calico/%s " $calico)
  cp "$(cd "$calico_module" && go list -m -f '{{.Dir}}' $of_calico)/manifests/crds.yaml" "$new/calico-crds.yaml"
fi
if [ -x "$new/kind" ]; then
  # The files of its nodes.
  of_kind=$(cd "$module" && go list -m -f '{{.Dir}}' sigs.k8s.io/kind)
  rm -rf "$folder/kind-base"
  mkdir "$folder/kind-base"
  cp -r "$of_kind/images/base/files" "$of_kind/pkg/build/nodeimage/const_storage.go" "$folder/kind-base/"
  chmod -R u+w "$folder/kind-base"
fi
mv -f "$new"/* "$folder/"
rmdir "$new"
