#!/bin/sh
# Fetches the documents that the installed LibreOffice is tested with, from the distribution's source package, into
# .cache/corpus/<version>; skips what is there. Exits 3, with a message, where they cannot be had.
set -eu
cd "$(dirname "$0")/../.."

say() { printf '[corpus] %s\n' "$*"; }
give_up() { say "$*: tests with LibreOffice's documents will be skipped"; exit 3; }

command -v apt-get >/dev/null 2>&1 || give_up 'this machine has no apt'
full=
for package in libreoffice-core-nogui libreoffice-core; do
  [ -n "$full" ] || full=$(dpkg-query -W -f '${source:Version}' "$package" 2>/dev/null) || full=
done
[ -n "$full" ] || give_up 'LibreOffice is not installed as a package'
version=${full#*:}
version=${version%-*}
folder=$PWD/.cache/corpus/$version
[ ! -d "$folder" ] || exit 0

work=$PWD/.cache/corpus/fetch
rm -rf "$work"
mkdir -p "$work/lists/partial" "$work/sources" "$work/cache" "$work/unpacked"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# The mirrors that packages come from, asked for source; lists of their own leave the machine's as they are.
for file in /etc/apt/sources.list.d/*.sources; do
  [ ! -f "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$work/sources/${file##*/}"
done
cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | sed -nE 's/^deb(-src)?[[:space:]]/deb-src /p' |
  sort -u >"$work/sources/lists.list"
from_sources() {
  "$@" -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$work/sources" -o Dir::State::lists="$work/lists" \
    -o Dir::Cache="$work/cache"
}
# Others' repositories often have no source.
from_sources apt-get -q update >"$work/apt.log" 2>&1 || true

# A security update is built from the same upstream source; a mirror may no longer have the one that is installed.
print_uris() { from_sources apt-get -qq source --print-uris --only-source "$1" 2>>"$work/apt.log"; }
line=$({ print_uris "libreoffice=$full" || print_uris libreoffice; } | grep -F "libreoffice_$version.orig.tar.xz'" | head -n 1) || line=
[ -n "$line" ] || give_up "the mirrors have no source of LibreOffice $version"
uri=$(echo "$line" | cut -d "'" -f 2)
checksum=$(echo "$line" | awk '{ print $NF }')

say "downloading LibreOffice's test documents ($(($(echo "$line" | awk '{ print $3 }') / 1000000)) MB, once)"
/usr/lib/apt/apt-helper download-file "$uri" "$work/source.tar.xz" "$checksum" >"$work/apt.log" 2>&1 ||
  give_up 'the source of LibreOffice could not be downloaded'
say "unpacking them into .cache/corpus/$version"
tar -xJf "$work/source.tar.xz" -C "$work/unpacked" --strip-components=1 --no-same-owner --wildcards \
  '*/sw/qa/*' '*/sc/qa/*' '*/sd/qa/*'
node scripts/corpus/decrypt.ts "$work/unpacked"
mv "$work/unpacked" "$folder"
