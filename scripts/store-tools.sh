#!/bin/sh
# Builds the S3 server that the gate's store is tested with into .cache/tools. Skips it if it is there. Without Go it says
# so and exits 3.
set -eu
cd "$(dirname "$0")/.."

topic='store on S3' tools=$PWD/.cache/tools
. scripts/support/go-tools.sh

tool versitygw 1.8.0 github.com/versity/versitygw/cmd/versitygw || fail 'could not build versitygw'
