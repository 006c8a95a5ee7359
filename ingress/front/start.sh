#!/bin/sh
# Renders the template from the SVC_FRONT_ variables, and becomes nginx: the entry point of the front's image, and of `make run`.
# usage: start.sh [further directives]
set -eu
# Process 1 ignores signals without a handler. nginx has its own.
trap 'exit 0' TERM INT QUIT
# One directive for each edge. Without any, only sockets of the file system are trusted, and the front has none.
SVC_FRONT_TRUSTED_EDGES=$(printf '%s' "${SVC_FRONT_TRUSTED_EDGES:-unix:}" | sed 's/,/; set_real_ip_from /g')
export SVC_FRONT_TRUSTED_EDGES
# The default is this machine's first name server: nodes may have caches of their own. IPv6 addresses need brackets.
if [ -z "${SVC_FRONT_RESOLVER:-}" ]; then
  SVC_FRONT_RESOLVER=$(sed -n '/^[[:space:]]*nameserver[[:space:]]/{
    s/^[[:space:]]*nameserver[[:space:]]*//
    s/[[:space:]].*//
    s/.*:.*/[&]/
    p
    q
  }' /etc/resolv.conf)
fi
export SVC_FRONT_RESOLVER="${SVC_FRONT_RESOLVER:-127.0.0.1}"
names=$(env | sed -n 's/^\(SVC_FRONT_[A-Z_]*\)=.*/${\1}/p')
envsubst "$names" <"$SVC_FRONT_DIR/nginx.conf.template" >"$SVC_FRONT_PREFIX/nginx.conf"
# Not every user's PATH has these folders of nginx.
PATH="$PATH:/usr/sbin:/usr/local/sbin:/usr/local/nginx/sbin"
exec nginx -e stderr -p "$SVC_FRONT_PREFIX" -c "$SVC_FRONT_PREFIX/nginx.conf" -g "daemon off; ${1:-}"
