#!/bin/bash
# The engine of scripts/docker.sh: process 1 of namespaces of its own. Nothing that it does outlives it, and the machine
# around it sees none of it: mounts, addresses, packet filter, processes.
# usage: engine.sh <folder> <index>
set -eu
folder=$1 index=$2 scripts=$(dirname "$(realpath "$0")")
export PATH=$PATH:/usr/sbin:/sbin

mount -t tmpfs -o mode=755 tmpfs /run
ip link set lo up
for link in node0 tap0; do
  until ip link show $link >/dev/null 2>&1; do sleep 0.05; done
done
ip address add "198.18.$((64 + index)).2/30" dev node0
ip link set node0 up
# Addresses of a cluster's services and pods that no rule of the cluster leads on, for instance of a service that is new.
# The networks of some machines answer at every address.
for range in 10.96.0.0/16 10.244.0.0/16; do ip route add unreachable "$range"; done

# Where the machine keeps a capability from everybody, privileged containers do without.
runtime=runc
bounding=$(sed -n 's/^CapBnd:\s*//p' /proc/self/status)
if [ $((0x$bounding >> 24 & 1)) = 0 ]; then runtime=without-resource; fi
(
  export DOCKER_HOST=unix://$folder/docker.sock
  until docker info >/dev/null 2>&1; do sleep 0.1; done
  # Containers can be reached from the machine, as those of an engine on the machine itself.
  iptables -w -I DOCKER-USER -i node0 -j ACCEPT
  # Of an engine that was killed.
  docker ps --all --quiet | xargs --no-run-if-empty docker rm --force --volumes
  docker volume prune --force
  docker network prune --force
  touch "$folder/ready"
) &
dockerd --host "unix://$folder/docker.sock" --data-root "$folder/data" --exec-root /run/docker --pidfile /run/docker.pid \
  --host-gateway-ip "198.18.$((64 + index)).1" --shutdown-timeout 5 \
  --cgroup-parent "/svc-docker$index" --add-runtime "without-resource=$scripts/runc.sh" --default-runtime "$runtime" \
  --bip "198.18.$((64 + index)).65/26" --default-address-pool "base=198.18.$((64 + index)).128/25,size=28" &
engine=$!
trap 'kill $engine' TERM INT
while kill -0 $engine 2>/dev/null; do wait $engine || true; done
