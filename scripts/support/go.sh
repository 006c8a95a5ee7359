# Sourced, in the repository's root, by scripts that build programs in Go. The caches are the repository's own, which can be
# removed by their owner like everything else in .cache. `get_go` is for parts of Kubernetes, and needs `say`, `fail` and
# `log`, a file.
# shellcheck shell=sh disable=SC2154

# Used where the machine's own Go is missing or older than Kubernetes asks for.
go_version=1.26.8
go_minimum=1.24.9

PATH=$PATH:/usr/local/go/bin:/usr/lib/go/bin
GOMODCACHE=$PWD/.cache/kubernetes/go/modules GOCACHE=$PWD/.cache/kubernetes/go/build GOFLAGS='-modcacherw -buildvcs=false'
GOTOOLCHAIN=local CGO_ENABLED=0
export PATH GOMODCACHE GOCACHE GOFLAGS GOTOOLCHAIN CGO_ENABLED

# An older Go can fetch a newer one, as a module like any other: checked by the same checksum database.
get_go() {
  command -v go >/dev/null 2>&1 || fail 'needs Go, of any version since 1.18 (Debian: apt-get install golang-go)'
  have=$(go env GOVERSION)
  [ "$(printf '%s\n' "$go_minimum" "${have#go}" | sort -V | head -n 1)" != "$go_minimum" ] || return 0
  toolchain=golang.org/toolchain@v0.0.1-go$go_version.$(go env GOOS)-$(go env GOARCH)
  say "this machine has $have, Kubernetes needs $go_minimum: getting Go $go_version"
  (cd / && go mod download "$toolchain") >"$log" 2>&1 || { tail -n 20 "$log" >&2; fail "could not get Go, see $log"; }
  GOROOT=$GOMODCACHE/$toolchain
  chmod -R u+x "$GOROOT/bin" "$GOROOT/pkg/tool"
  PATH=$GOROOT/bin:$PATH
  export GOROOT
}
