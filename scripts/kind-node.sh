#!/bin/sh
# Makes the image of a node of kind on an engine that cannot pull kind's own: Debian by debootstrap, kind's files, and what
# scripts/kubernetes.sh has built. Skips what is there. Writes the image's name to stdout; what it does, to stderr.
set -eu
script=$(realpath "$0")
cd "$(dirname "$0")/.."

# The last whose systemd starts with control groups of version 1.
debian=bookworm
packages='systemd,dbus,conntrack,iptables,nftables,ipset,iproute2,ethtool,mount,kmod,libseccomp2,pigz,bash,ca-certificates,curl,jq,procps,containerd,runc,containernetworking-plugins'
version=$(sed -n 's,^.*k8s\.io/kubernetes v\([0-9.]*\).*,\1,p' test/e2e/cluster/kubernetes/go.mod)
programs=$PWD/.cache/kubernetes/$version
work=$PWD/.cache/docker/kind.work
log=$PWD/.cache/docker/kind.log

key=$(cat "$script" scripts/kind/* test/e2e/cluster/kubernetes/go.mod test/e2e/cluster/network/go.mod | sha256sum | cut -c -12)
base=localhost/svc/kind-base:$(echo "$debian $packages" | sha256sum | cut -c -12)
node=localhost/svc/kind-node:$version-$key
path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

say() { printf '[kind] %s\n' "$*" >&2; }
exists() { docker image inspect "$1" >/dev/null 2>&1; }

make_base() {
  debootstrap --variant=minbase --include="$packages" "$debian" "$work/root"
  rm -rf "$work/root"/var/cache/apt/archives/*.deb "$work/root"/var/lib/apt/lists/*
  tar -C "$work/root" -c . | docker import --change "ENV PATH=$path" --change 'CMD ["/bin/sh"]' - "$base"
}

# Without what this machine cannot give: see scripts/docker/runc.sh.
without_resource() {
  sed -i 's/restrict_oom_score_adj = false/restrict_oom_score_adj = true/' "$1/etc/containerd/config.toml"
  sed -i '/^OOMScoreAdjust=/d' "$1/etc/systemd/system/containerd.service"
}

storage_manifest() {
  sed -n '/^const defaultStorageManifest = `/,/^`$/p' "$programs/kind-base/const_storage.go" | sed '1d; $d' |
    sed "s#\` + storageProvisionerImage + \`#localhost/svc/local-path-provisioner:$version#; s#\` + storageHelperImage + \`#$base#"
}

# build <target> <image>
build() {
  docker build --target "$1" --tag "$2" --build-arg "BASE=$base" --file scripts/kind/Dockerfile "$work/context"
}

# An image that holds nothing but a program: program <name> <image>
program() {
  tar -C "$programs" --transform 's,^,usr/local/bin/,' -c "$1" |
    docker import --change 'ENV PATH=/usr/local/bin' --change "ENTRYPOINT [\"/usr/local/bin/$1\"]" - "$2"
}

make_node() {
  context=$work/context
  mkdir -p "$context"
  for name in kubeadm kubelet kubectl kube-proxy calico calico-felix; do ln "$programs/$name" "$context/"; done
  cp scripts/kind/calico-felix.service "$context/"
  cp -r "$programs/kind-base/files" "$context/files"
  without_resource "$context/files"
  mkdir -p "$context/files/kind/manifests"
  echo "v$version" >"$context/files/kind/version"
  storage_manifest >"$context/files/kind/manifests/default-storage.yaml"
  build node "$node-empty"
  # Under the names that kubeadm and containerd ask for.
  pause=$(sed -n 's/^ *sandbox_image = "\(.*\)"/\1/p' "$context/files/etc/containerd/config.toml")
  program pause "$pause"
  program local-path-provisioner "localhost/svc/local-path-provisioner:$version"
  images="$pause localhost/svc/local-path-provisioner:$version $base"
  for image in $(docker run --rm --entrypoint kubeadm "$node-empty" config images list --kubernetes-version "v$version"); do
    name=${image%:*}
    name=${name##*/}
    case $name in
      pause) continue ;;
      kube-proxy) build "$name" "$image" ;;
      *) program "$name" "$image" ;;
    esac
    images="$images $image"
  done
  # shellcheck disable=SC2086
  docker save --output "$work/images.tar" $images
  container=$(docker run --detach --privileged --entrypoint sleep --volume "$work:/work:ro" "$node-empty" infinity)
  docker exec "$container" sh -ec 'containerd >/dev/null 2>&1 & until ctr version >/dev/null 2>&1; do sleep 0.1; done
    ctr --namespace k8s.io images import --label io.cri-containerd.pinned=pinned --no-unpack /work/images.tar
    kill $!; wait'
  docker commit --change 'ENTRYPOINT ["/usr/local/bin/entrypoint", "/sbin/init"]' "$container" "$node"
  docker rm --force --volumes "$container"
}

# One at a time.
exec 9>"$work.lock"
flock 9
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
for part in base node; do
  eval "image=\$$part"
  exists "$image" && continue
  say "making the image $image, once"
  rm -rf "$work"
  mkdir -p "$work"
  "make_$part" >"$log" 2>&1 || { tail -n 20 "$log" >&2; say "could not make it, see $log"; exit 1; }
done
echo "$node"
