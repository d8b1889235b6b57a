#!/bin/sh
# Makes a release archive in target/packages: packaging/archive.sh [WYNOT]
# Without an argument, the program is built first. An archive that is made twice of the same program is the same.
set -eu
cd "$(dirname "$0")/.."
wynot=${1:-target/release/wynot}
[ $# -gt 0 ] || cargo build --release --locked --package wynot
version=$("$wynot" --version | cut -d' ' -f2)
target=$(rustc -vV | sed -n 's/^host: //p')
name=wynot-$version-$target
out=target/packages
rm -rf "$out/$name"
mkdir -p "$out"
packaging/files.sh "$wynot" "$out/$name"
tar -C "$out" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -c "$name" | gzip -9n > "$out/$name.tar.gz"
rm -rf "${out:?}/$name"
(cd "$out" && sha256sum "$name.tar.gz" > "$name.tar.gz.sha256")
echo "$out/$name.tar.gz"
