#!/bin/sh
# Puts everything that is installed below a directory, as below /usr: packaging/files.sh WYNOT DIRECTORY
set -eu
wynot=$1
to=$2
root=$(cd "$(dirname "$0")/.." && pwd)
install -Dm755 "$wynot" "$to/bin/wynot"
mkdir -p "$to/share/man/man1" "$to/share/doc/wynot" "$to/share/bash-completion/completions" \
    "$to/share/zsh/site-functions" "$to/share/fish/vendor_completions.d"
"$wynot" man | gzip -9n > "$to/share/man/man1/wynot.1.gz"
for verb in reduce isolate options changes history explain state resume verify report sessions serve submit mcp; do
    "$wynot" man "$verb" | gzip -9n > "$to/share/man/man1/wynot-$verb.1.gz"
done
"$wynot" completions bash > "$to/share/bash-completion/completions/wynot"
"$wynot" completions zsh > "$to/share/zsh/site-functions/_wynot"
"$wynot" completions fish > "$to/share/fish/vendor_completions.d/wynot.fish"
install -m644 "$root/README.md" "$root/CHANGELOG.md" "$root/LICENSE-MIT" "$root/LICENSE-APACHE" \
    "$root/packaging/wynot-serve.service" "$to/share/doc/wynot/"
cp -r "$root/examples" "$to/share/doc/wynot/"
find "$to/share/doc/wynot" -type d -exec chmod 755 {} +
