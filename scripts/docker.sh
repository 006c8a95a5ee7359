#!/bin/bash
# A Docker engine for machines without one: Debian's, as root, in namespaces of its own. Images are kept from run to run.
# usage: scripts/docker.sh run|start|stop
#   run    in the foreground: the engine and all its containers end when this does, however that happens
#   start  in the background, unless an engine answers already; prints what DOCKER_HOST has to be
#   stop   ends the one in the background
# All of it is in SVC_DOCKER_FOLDER, by default .cache/docker. The file `addresses` there says where published ports are,
# and under which address containers find this machine.
set -eu
cd "$(dirname "$0")/.."
export PATH=$PATH:/usr/sbin:/sbin

folder=${SVC_DOCKER_FOLDER:-$PWD/.cache/docker}
export DOCKER_HOST=unix://$folder/docker.sock

say() { printf '[docker] %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }
is_running() { ! flock --nonblock "$folder/lock" true; }

# The range is set aside for tests of networks. A number is taken for as long as anything of its engine lives.
take_number() {
  for index in $(seq 0 31); do
    exec {number}>"${TMPDIR:-/tmp}/svc-docker$index.lock"
    ! flock --nonblock "$number" || return 0
  done
  fail 'there are 32 engines on this machine already'
}

# Killed containers leave these behind.
remove_control_groups() {
  find /sys/fs/cgroup -mindepth 1 -maxdepth 2 -type d -name "svc-docker$index" | while read -r group; do
    find "$group" -depth -type d -exec rmdir {} + || true
  done
}

run() {
  [ "$(id -u)" = 0 ] || fail 'needs root rights'
  exec {lock}>"$folder/lock"
  flock --nonblock "$lock" || fail "one runs already: DOCKER_HOST=$DOCKER_HOST"
  take_number
  remove_control_groups
  rm -f "$folder/docker.sock" "$folder/ready"
  local network=198.18.$((64 + index)) link=svc-docker$index
  echo "$network.2 $network.1" >"$folder/addresses"
  echo $$ >"$folder/pid"
  setpriv --pdeathsig KILL -- unshare --mount --net --pid --ipc --uts --fork --kill-child --mount-proc \
    scripts/docker/engine.sh "$folder" "$index" >"$folder/engine.log" 2>&1 &
  unshare=$!
  local first=
  trap 'kill -KILL $unshare 2>/dev/null || true' EXIT
  until first=$(cat "/proc/$unshare/task/$unshare/children") && [ -n "$first" ]; do sleep 0.05; done
  first=${first% }
  trap 'kill "$first" 2>/dev/null || true' TERM INT
  # That of an engine which has ended a moment ago may not have gone yet.
  ip link delete "$link" 2>/dev/null || true
  ip link add "$link" type veth peer name node0 netns "$first"
  ip address add "$network.1/30" dev "$link"
  ip link set "$link" up
  ip route add "$network.0/24" via "$network.2"
  # Containers reach all others through a program, so nothing of the machine's own network is changed for them.
  setpriv --pdeathsig KILL -- slirp4netns --configure --disable-host-loopback --mtu=65520 "$first" tap0 \
    >"$folder/outside.log" 2>&1 &
  while kill -0 "$unshare" 2>/dev/null; do wait "$unshare" || true; done
  remove_control_groups
}

mkdir -p "$folder"
case ${1:-} in
  run) run ;;
  start)
    if env -u DOCKER_HOST docker info >/dev/null 2>&1; then exit 0; fi
    if ! is_running; then
      rm -f "$folder/ready"
      setsid "$0" run </dev/null >/dev/null 2>&1 &
      for _ in $(seq 300); do [ ! -e "$folder/ready" ] || break; sleep 0.1; done
      [ -e "$folder/ready" ] || { tail -n 20 "$folder/engine.log" >&2; fail "could not start, see $folder/engine.log"; }
    fi
    echo "$DOCKER_HOST"
    ;;
  stop)
    is_running || exit 0
    kill "$(cat "$folder/pid")"
    # A process that gets the lock knows that all of it has ended.
    flock --timeout 60 "$folder/lock" true
    ;;
  *) fail 'the first argument is run, start or stop' ;;
esac
