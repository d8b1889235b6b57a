#!/usr/bin/env bash
# Instructions that wynot's own process spends per test, at 1 KB, 100 KB and 1 MB of input.
# Counts do not depend on what else the machine does: the same binary and input give the same figures.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --quiet
wynot=$PWD/target/release/wynot
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export XDG_STATE_HOME=$dir/state
tests=200
for size in 1000 100000 1000000; do
    head -c "$size" /dev/zero | tr '\0' 'x' > input
    # Everything but the whole passes, so each test is of a variant nearly as long as the input.
    printf '#!/bin/sh\n[ "$(wc -c < "$1")" -ge %d ] && exit 1\nexit 0\n' "$size" > t
    chmod +x t
    count() {
        valgrind --tool=callgrind --callgrind-out-file=/dev/null \
            "$wynot" reduce -q -j 1 --fresh --unit byte --max-tests "$1" input -- ./t {} 2> log > /dev/null ||
            [ $? -eq 5 ] # stopped by the limit, as asked for
        sed -n 's/.*Collected : *\([0-9]*\).*/\1/p' log
    }
    few=$(count 10) many=$(count $((10 + tests)))
    echo "$size bytes: $(((many - few) / tests)) instructions per test"
done
