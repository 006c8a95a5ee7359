#!/bin/sh
# Generates the secrets that compose.yaml reads, in .data/compose, and creates the folder for a licence. Existing ones are kept.
set -eu
cd "$(dirname "$0")/.."
folder=.data/compose

# Only the folder's mode keeps other users out: Docker mounts each file with its own mode, and services don't run as its owner.
umask 022
mkdir -p "$folder/license"
chmod 0700 "$folder"

random() { od -An -tx1 -N 24 /dev/urandom | tr -d ' \n'; }

# make <file> <what stands before the secret>
make() {
  [ -s "$folder/$1" ] || printf '%s%s\n' "${2:-}" "$(random)" >"$folder/$1"
}

make docbuilder-api-keys compose:svc_
make embed-jwt-secret
[ -e "$folder/embed-jwt-secret-previous" ] || : >"$folder/embed-jwt-secret-previous"
make callback-secret
make editor-password
make postgres-password
make s3-secret-key
# The same password, in an address.
printf 'postgresql://svc:%s@postgres:5432/svc\n' "$(cat "$folder/postgres-password")" >"$folder/database-url"
# The editor takes its password from the environment only.
printf 'password=%s\n' "$(cat "$folder/editor-password")" >"$folder/editor.env"

echo "[compose] secrets are in $folder"
