#!/usr/bin/env bash
# Installs the reducers that wynot is compared with, and what their cases need. For Debian.
#
#   install.sh [DIR]      DIR is where tools without a Debian package go (default: target/bench/tools)
#
# What is already in DIR is kept; remove it to install anew.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "${1:-$root/target/bench/tools}"
tools=$(cd "${1:-$root/target/bench/tools}" && pwd)

# The interpreter itself, not a launcher that chooses one: `python 3.12` prints its path.
python() {
    local name=python$1 found
    for found in "$name" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/"$name"; do
        "$found" -c 'import sys; print(sys.executable)' 2> /dev/null && return
    done
    echo "install.sh: Python $1 is needed" >&2
    return 1
}

# Runs pip of a virtual environment: `pip ENVIRONMENT ARGUMENTS...`.
pip() {
    "$1/bin/pip" install --quiet --disable-pip-version-check "${@:2}"
}

debian() {
    local packages=(cvise creduce delta jq sqlite3 z3 gcc) sudo=()
    dpkg-query --show "${packages[@]}" > /dev/null 2>&1 && return
    [ "$(id -u)" = 0 ] || sudo=(sudo)
    "${sudo[@]}" apt-get install --yes --quiet "${packages[@]}" > /dev/null
}

python_reducers() {
    local env=$tools/venv311
    [ -x "$env/bin/picire" ] && return
    "$(python 3.11)" -m venv --clear "$env"
    pip "$env" setuptools lithium-reducer ddsmt picire
}

# Shrink Ray without its language model, which none of the runs uses and which takes long to build. It expects
# a grammar pack that downloads grammars when they are first needed; the last pack that contains them all does
# as well, once it answers the two questions about downloads.
shrinkray() {
    local env=$tools/venv312
    [ -x "$env/bin/shrinkray" ] && return
    "$(python 3.12)" -m venv --clear "$env"
    pip "$env" attrs binaryornot black chardet click exceptiongroup huggingface-hub humanize libcst textual \
        textual-plotext tree-sitter 'tree-sitter-language-pack<1' trio
    cat >> "$env"/lib/python3.12/site-packages/tree_sitter_language_pack/__init__.py <<'PYTHON'


def downloaded_languages():
    from typing import get_args

    return list(get_args(SupportedLanguage))


def download(languages):
    """Nothing to do: every grammar came with the package."""
PYTHON
    pip "$env" --no-deps shrinkray
}

treereduce() {
    local language
    for language in c rust; do
        [ -x "$tools/cargo/bin/treereduce-$language" ] ||
            cargo install --quiet --root "$tools/cargo" "treereduce-$language"
    done
}

# The sources that two of the cases are made of, into cargo's registry.
crates() {
    local scratch
    scratch=$(mktemp -d)
    mkdir "$scratch/src"
    touch "$scratch/src/lib.rs"
    cat > "$scratch/Cargo.toml" <<'TOML'
[package]
name = "sources-of-cases"
version = "0.0.0"

[dependencies]
smallvec = "=1.16.4"
tree-sitter = "=0.27.1"
TOML
    cargo fetch --quiet --manifest-path "$scratch/Cargo.toml"
    rm -r "$scratch"
}

for step in debian python_reducers shrinkray treereduce crates; do
    echo "$step ..."
    "$step"
done
echo "The reducers are in $tools and on PATH."
