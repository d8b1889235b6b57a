#!/bin/sh
# C-Vise convention: as C-Reduce's. Two files are reduced together; both lie in the
# current directory under their own names. Exit 0 interesting, anything else not.
set -e
test -f main.c -a -f shape.h
gcc -c main.c -o main.o 2>/dev/null
grep -q 'return .*magic_field' main.c
grep -q 'magic_field' shape.h
