#!/bin/sh
# The front image's entry point: renders the template from the SVC_FRONT_ variables, and becomes nginx.
set -eu
# As process 1 it would not hear of it otherwise; nginx has its own ways.
trap 'exit 0' TERM INT QUIT
names=$(env | sed -n 's/^\(SVC_FRONT_[A-Z_]*\)=.*/${\1}/p')
envsubst "$names" <"$SVC_FRONT_DIR/nginx.conf.template" >"$SVC_FRONT_PREFIX/nginx.conf"
exec nginx -e stderr -p "$SVC_FRONT_PREFIX" -c "$SVC_FRONT_PREFIX/nginx.conf" -g 'daemon off;'
