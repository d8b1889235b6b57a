#!/bin/sh
# Makes a package for Debian and Ubuntu in target/packages: packaging/debian.sh [WYNOT]
# Without an argument, the program is built first. Needs dpkg-deb.
set -eu
cd "$(dirname "$0")/.."
wynot=${1:-target/release/wynot}
[ $# -gt 0 ] || cargo build --release --locked --package wynot
version=$("$wynot" --version | cut -d' ' -f2)
architecture=$(dpkg --print-architecture)
out=target/packages
tree=$out/debian
rm -rf "$tree"
mkdir -p "$tree/DEBIAN"
packaging/files.sh "$wynot" "$tree/usr"
mkdir -p "$tree/usr/lib/systemd/system"
mv "$tree/usr/share/doc/wynot/wynot-serve.service" "$tree/usr/lib/systemd/system/"
# Debian has its completions for zsh in another directory, and a file for the licences.
mv "$tree/usr/share/zsh/site-functions" "$tree/usr/share/zsh/vendor-completions"
cat "$tree/usr/share/doc/wynot/LICENSE-MIT" "$tree/usr/share/doc/wynot/LICENSE-APACHE" > "$tree/usr/share/doc/wynot/copyright"
rm "$tree/usr/share/doc/wynot/LICENSE-MIT" "$tree/usr/share/doc/wynot/LICENSE-APACHE"
gzip -9n "$tree/usr/share/doc/wynot/CHANGELOG.md"
mv "$tree/usr/share/doc/wynot/CHANGELOG.md.gz" "$tree/usr/share/doc/wynot/changelog.gz"
size=$(du -sk "$tree/usr" | cut -f1)
cat > "$tree/DEBIAN/control" <<END
Package: wynot
Version: $version
Architecture: $architecture
Maintainer: The authors of wynot <wynot@example.invalid>
Installed-Size: $size
Depends: libc6 (>= 2.36), libgcc-s1
Recommends: git
Suggests: gcc, gdb
Section: devel
Priority: optional
Description: delta debugger: it worked yesterday, why not today?
 wynot finds by experiments what a failure needs: the smallest input, the
 difference between two inputs, the option, the commit and its lines, and
 the variables that carry it from the input to the crash.
END
dpkg-deb --root-owner-group --build "$tree" "$out/wynot_${version}_$architecture.deb" > /dev/null
rm -rf "$tree"
echo "$out/wynot_${version}_$architecture.deb"
