#!/bin/sh
# git bisect run convention: arguments are the user's own, the current directory is the top of
# the work tree. 0 = good (old), 125 = cannot be tested, skip, 1-127 otherwise = bad (new).
[ "$1" = limit.txt ] || exit 255
[ -f "$1" ] || exit 125
n=$(cat "$1")
[ "$n" -eq "$n" ] 2>/dev/null || exit 125   # does not "build"
[ "$n" -lt 11 ]
