#!/usr/bin/env bash
# The search of action.yml: runs wynot with VERB and ARGUMENTS, and writes what it found to the outputs of the step.
# An answer is an answer also if a limit ended the search; everything else fails the step.
set -uo pipefail
out=${RUNNER_TEMP:-$(mktemp -d)}/wynot-result
mkdir -p "$out"
# The arguments are written by the author of the workflow, as in a shell.
eval "arguments=($ARGUMENTS)"
session="$out/session"
"$WYNOT" "$VERB" --json --session "$session" --report "$out/report.html" "${arguments[@]}" > "$out/result.json"
code=$?
field() {
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1])).get(sys.argv[2]) or "")' "$out/result.json" "$1"
}
status=$(field status)
if [ "$status" = error ] || [ -z "$status" ] && [ "$VERB" != explain ]; then
    printf '## wynot %s failed\n\n%s\n\nNext: `%s`\n' "$VERB" "$(field message)" "$(field next_command)" > "$out/result.md"
elif [ "$VERB" = explain ]; then
    # An explanation is a chain, which the page and the object have.
    status=${status:-explained}
    printf '## wynot explain\n\nThe chain is in the report.\n' > "$out/result.md"
else
    "$WYNOT" report --markdown "$session" > "$out/result.md"
fi
{
    echo "status=$status"
    echo "result=$(field output)"
    echo "markdown=$out/result.md"
    echo "report=$out/report.html"
} >> "${GITHUB_OUTPUT:-/dev/stdout}"
cat "$out/result.md" >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
case $code in
0 | 5) exit 0 ;;
*) exit "$code" ;;
esac
