#!/bin/sh
# halfempty convention: the candidate comes on stdin only; no arguments; the current directory
# is the user's. A file needed by name is made by the script and removed again.
[ $# -eq 0 ] || exit 1
result=1
tmp=$(mktemp) && cat > "$tmp"
trap 'rm -f "$tmp"; exit $result' EXIT TERM ALRM
if grep -q 'BEGIN-BLOCK' "$tmp" && grep -q 'END-BLOCK' "$tmp"; then
    result=0
fi
