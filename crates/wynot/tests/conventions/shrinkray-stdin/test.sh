#!/bin/sh
# Shrink Ray, --input-type=stdin: the candidate comes on stdin and there are no arguments.
[ $# -eq 0 ] || exit 1
python3 -c '
import json, sys
try:
    d = json.load(sys.stdin)
    ok = any(i["price"] < 0 for i in d["items"])
except Exception:
    ok = False
sys.exit(not ok)'
