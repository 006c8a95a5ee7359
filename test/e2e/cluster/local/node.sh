#!/bin/bash
# The node of the local cluster: process 1 of namespaces of its own, which node.ts has `unshare` make. Nothing that it
# does outlives it, and the machine around it sees none of it: mounts, addresses, packet filter, processes.
# usage: node.sh <folder of this run> <folder of images> <folder of programs> <control group> <address of the machine> <of the node>
set -eu
export NODE_ADDRESS=$6
folder=$1 images=$2 programs=$3 cgroup=$4 machine=$5 config=$(dirname "$(realpath "$0")")

# Paths that container runtimes have built in are below /run and /var: these are the node's own from here on.
mount --make-rshared /
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/svc/{node,images,programs,config} /run/var/{upper,work} /run/lock
mount --bind "$folder" /run/svc/node
mount --bind "$images" /run/svc/images
mount --bind "$programs" /run/svc/programs
mount --bind "$config" /run/svc/config
mount -t overlay -o lowerdir=/var,upperdir=/run/var/upper,workdir=/run/var/work overlay /var
echo "nameserver $NODE_ADDRESS" >/run/svc/resolv.conf

ip link set lo up
until ip link show node0 >/dev/null 2>&1; do sleep 0.05; done
ip address add "$NODE_ADDRESS/30" dev node0
ip link set node0 up
ip route add default via "$machine"
echo 1 >/proc/sys/net/ipv4/ip_forward

cd /run/svc/node
pki=/run/svc/node/pki
start() {
  local name=$1
  shift
  "$@" >"logs/$name.log" 2>&1 &
}
program() { start "$1" "/run/svc/programs/$@"; }

program etcd --data-dir=etcd --unsafe-no-fsync --log-level=warn \
  --listen-client-urls=http://127.0.0.1:2379 --advertise-client-urls=http://127.0.0.1:2379 \
  --listen-peer-urls=http://127.0.0.1:2380
start containerd containerd --config /run/svc/config/containerd.toml
program kube-apiserver --etcd-servers=http://127.0.0.1:2379 --secure-port=6443 --advertise-address="$NODE_ADDRESS" \
  --tls-cert-file=$pki/server.crt --tls-private-key-file=$pki/server.key --client-ca-file=$pki/ca.crt \
  --service-account-key-file=$pki/service-accounts.pub --service-account-signing-key-file=$pki/service-accounts.key \
  --service-account-issuer=https://kubernetes.default.svc.cluster.local \
  --service-cluster-ip-range=10.96.0.0/16 --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction \
  --kubelet-client-certificate=$pki/admin.crt --kubelet-client-key=$pki/admin.key \
  --kubelet-certificate-authority=$pki/ca.crt --kubelet-preferred-address-types=InternalIP --allow-privileged=true
until /run/svc/programs/kubectl --kubeconfig admin.kubeconfig get --raw /readyz >/dev/null 2>&1; do sleep 0.2; done

program kube-controller-manager --kubeconfig=admin.kubeconfig --use-service-account-credentials --leader-elect=false \
  --service-account-private-key-file=$pki/service-accounts.key --root-ca-file=$pki/ca.crt --bind-address=127.0.0.1
program kube-scheduler --kubeconfig=admin.kubeconfig --leader-elect=false --bind-address=127.0.0.1
program kube-proxy --config=/run/svc/config/kube-proxy.yaml --hostname-override=node
program coredns -conf /run/svc/config/Corefile
until ctr version >/dev/null 2>&1; do sleep 0.1; done
ctr --namespace k8s.io images import pause.tar >logs/pause.log 2>&1
program kubelet --config=/run/svc/config/kubelet.yaml --kubeconfig=node.kubeconfig --hostname-override=node \
  --node-ip="$NODE_ADDRESS" --root-dir=/run/svc/node/kubelet --cgroup-root="$cgroup"

# Collects the processes that others leave behind.
while true; do sleep 3600 & wait $!; done
