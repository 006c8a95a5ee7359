#!/bin/sh
# Builds what the chart is checked with into .cache/tools: helm, kubeconform, kube-linter, and the schemas of Kubernetes' own
# kinds. Skips what is there. Without Go it says so and exits 3.
set -eu
cd "$(dirname "$0")/.."

helm_version=3.22.0
kubeconform_version=0.7.0
kube_linter_version=0.8.3
gateway_api_version=1.4.0
# The one of the cluster that is tested on.
kubernetes_version=$(sed -n 's#.*k8s\.io/kubernetes v\([0-9.]*\).*#\1#p' test/e2e/cluster/kubernetes/go.mod)

topic=chart tools=$PWD/.cache/tools
schemas=$tools/schemas-$kubernetes_version-$gateway_api_version
. scripts/support/go-tools.sh

# Release builds of helm are told this: without a cluster it takes this one for the cluster's version.
minor=${kubernetes_version#*.}
minor=${minor%%.*}
for package in pkg/chartutil pkg/lint/rules; do
  flags="$flags -X helm.sh/helm/v3/$package.k8sVersionMajor=1 -X helm.sh/helm/v3/$package.k8sVersionMinor=$minor"
done

# module@version
source_of() {
  (cd / && go mod download -json "$1") >"$log" 2>&1 || fail "could not get $1"
  sed -n 's/.*"Dir": "\(.*\)",/\1/p' "$log"
}

tool helm "$helm_version" helm.sh/helm/v3/cmd/helm || fail 'could not build helm'
tool kubeconform "$kubeconform_version" github.com/yannh/kubeconform/cmd/kubeconform || fail 'could not build kubeconform'
# Not every module proxy hands it out.
refused=$tools/kube-linter-$kube_linter_version.refused
if [ ! -e "$refused" ] && new_enough && ! tool kube-linter "$kube_linter_version" golang.stackrox.io/kube-linter/cmd/kube-linter; then
  mv "$log" "$refused"
  say "kube-linter $kube_linter_version cannot be had here ($refused says why; remove that file to try again)"
fi

if [ ! -d "$schemas" ]; then
  need_go "a schema"
  say "making schemas of Kubernetes $kubernetes_version and Gateway API $gateway_api_version, once"
  kubernetes=$(source_of "k8s.io/kubernetes@v$kubernetes_version")
  gateway=$(source_of "sigs.k8s.io/gateway-api@v$gateway_api_version")
  rm -rf "$schemas.new"
  node scripts/chart-schemas.ts "$schemas.new" "$kubernetes/api/openapi-spec/swagger.json" \
    "$gateway/config/crd/standard/gateway.networking.k8s.io_httproutes.yaml"
  mv "$schemas.new" "$schemas"
fi
ln -sfn "$(basename "$schemas")" "$tools/schemas"
