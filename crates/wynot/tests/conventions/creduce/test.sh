#!/bin/sh
# C-Reduce convention: no arguments, nothing on stdin; the candidate is bug.c in the
# current directory, which is a fresh one: leftovers are thrown away with it.
[ $# -eq 0 ] || exit 1
[ -f bug.c ] || exit 1
[ "$(ls)" = bug.c ] || exit 1
gcc -std=c99 -Wall -c -o bug.o bug.c >cc.out 2>&1 || exit 1
grep -q 'unused variable .unused_value.' cc.out || exit 1
grep -q 'int main' bug.c
