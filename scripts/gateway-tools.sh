#!/bin/sh
# Builds a Gateway for the tests on a cluster, Traefik, and the definitions of the Gateway API of its version, into
# .cache/tools. Skips what is there. Without Go it says so and exits 3.
set -eu
cd "$(dirname "$0")/.."

module=test/e2e/cluster/gateway
version=$(sed -n 's,^.*traefik/traefik/v3 v\([0-9.]*\).*,\1,p' "$module/go.mod" | head -n 1)
topic=gateway tools=$PWD/.cache/tools
. scripts/support/go-tools.sh

folder=$tools/traefik-$version
[ ! -x "$folder/traefik" ] || exit 0
need_go Traefik

# copy_of <module> <folder>: the module's source, in the place of what the module cache has
copy_of() {
  go mod download "$1"
  cp -r "$(go list -m -f '{{.Dir}}' "$1")" "$2"
  chmod -R u+w "$2"
}

# Two modules are changed, as parts that they need cannot be had: lego has no providers of DNS for certificates, and
# go-http-auth is the original of Traefik's fork, with what the fork adds.
build() {
  lego=github.com/go-acme/lego/v5 auth=github.com/abbot/go-http-auth crds=sigs.k8s.io/gateway-api
  cp -r "$module/." "$work"
  cd "$work"
  copy_of "$lego" lego
  copy_of "$auth" go-http-auth
  go mod download "$crds"
  rm -rf lego/providers/dns/*
  mv dns/dns.go lego/providers/dns/
  mv auth/stale.go go-http-auth/
  go mod edit -replace "$lego=./lego" -replace "$auth=./go-http-auth"
  go build -trimpath -ldflags "$flags" -o out/ github.com/traefik/traefik/v3/cmd/traefik
  for file in "$(go list -m -f '{{.Dir}}' "$crds")"/config/crd/standard/gateway.networking.k8s.io_[!v]*.yaml; do
    cat "$file"
    echo ---
  done >out/gateway-api.yaml
}

work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
say "building Traefik $version from source, once (some minutes)"
(set -e; build) >"$log" 2>&1 || fail 'could not build Traefik'
mkdir -p "$folder"
mv "$work"/out/* "$folder/"
ln -sf "../traefik-$version/traefik" "$tools/bin/traefik"
ln -sf "../traefik-$version/gateway-api.yaml" "$tools/bin/gateway-api.yaml"
