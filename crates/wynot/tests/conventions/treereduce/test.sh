#!/bin/sh
# treereduce convention: the command is given with a marker @@.c, which becomes the path of a
# temporary file (any name, suffix .c). The current directory is the user's, so no file is
# left in it. Interesting: main is there and the compiler warns of unused_value.
[ "$1" = --check ] && [ -f "$2" ] || exit 1
case $2 in *.c) ;; *) exit 1 ;; esac
grep -q 'int main' "$2" || exit 1
gcc -std=c99 -Wall -fsyntax-only "$2" 2>&1 | grep -q 'unused variable .unused_value.'
