#!/bin/sh
# Builds mean.c, which lies beside this script, with the given options, and runs it.
gcc -O1 "$@" "$(dirname "$0")/mean.c" -o mean -lm && ./mean
