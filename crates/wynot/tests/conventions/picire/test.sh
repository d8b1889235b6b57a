#!/bin/sh
# Picire convention: one argument, the absolute path of the candidate, whose name is the
# input's; the current directory is the one that holds it.
# Interesting: the numbers of "date" and "olive" are both in the list and the sum is above 60.
[ $# -eq 1 ] || exit 1
case $1 in /*/list.txt) ;; *) exit 1 ;; esac
cmp -s "$1" list.txt || exit 1
grep -q '^date ' "$1" && grep -q '^olive ' "$1" || exit 1
awk '{ s += $2 } END { exit !(s > 60) }' "$1"
