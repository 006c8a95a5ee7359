#!/bin/sh
# Renders the template from the SVC_FRONT_ variables, and becomes nginx: the entry point of the front's image, and of `make run`.
# usage: start.sh [further directives]
set -eu
# As process 1 it would not hear of it otherwise; nginx has its own ways.
trap 'exit 0' TERM INT QUIT
# A directive each; without any, it is the sockets of the file system, of which the front has none.
SVC_FRONT_TRUSTED_EDGES=$(printf '%s' "${SVC_FRONT_TRUSTED_EDGES:-unix:}" | sed 's/,/; set_real_ip_from /g')
export SVC_FRONT_TRUSTED_EDGES
# Told of none, it asks the first name server of where it runs: nodes may have caches of their own, each at its own address.
# nginx has IPv6 addresses in brackets.
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
# Where distributions put it: not every user's PATH has these.
PATH="$PATH:/usr/sbin:/usr/local/sbin:/usr/local/nginx/sbin"
exec nginx -e stderr -p "$SVC_FRONT_PREFIX" -c "$SVC_FRONT_PREFIX/nginx.conf" -g "daemon off; ${1:-}"
