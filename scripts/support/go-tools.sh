# Sourced by scripts that build programs in Go for the tests, in the repository's root. It needs `topic`, a word for what
# it says, and `tools`, the folder that programs are built into.
# shellcheck shell=sh disable=SC2154
log=$tools/build.log

say() { printf '[%s] %s\n' "$topic" "$*"; }
fail() { tail -n 20 "$log" >&2; printf '[%s] %s, see %s\n' "$topic" "$*" "$log" >&2; exit 1; }

PATH=$PWD/.tools/bin:$PATH
# The caches of scripts/kubernetes.sh: most modules are the same.
. scripts/support/go.sh
# A Go that is too old fetches the one that a tool asks for.
GOTOOLCHAIN=auto
mkdir -p "$tools/bin"
flags='-s -w'

new_enough() {
  case $(go version 2>/dev/null) in
    *' go1.'[0-9].* | *' go1.1'[0-9].* | *' go1.20'* | '') return 1 ;;
  esac
}
# Exits 3 where there is none. The parameter says what is missing then.
need_go() {
  new_enough && return 0
  # One that scripts/kubernetes.sh has fetched.
  for programs in "$GOMODCACHE"/golang.org/toolchain@*/bin; do PATH=$programs:$PATH; done
  new_enough && return 0
  say "no Go 1.21 or later here, so $1 cannot be built: the $topic is not tested (Debian: apt-get install golang-go)"
  exit 3
}

# name, version, package
tool() {
  folder=$tools/$1-$2
  if [ ! -x "$folder/$1" ]; then
    need_go "$1"
    say "building $1 $2, once (a minute or two)"
    GOBIN=$folder go install -trimpath -ldflags "$flags" "$3@v$2" >"$log" 2>&1 || return 1
  fi
  ln -sf "../$1-$2/$1" "$tools/bin/$1"
}
