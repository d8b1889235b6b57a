#!/bin/sh
# Compares the sandbox of wynot with bubblewrap: the same attempts to get out of it, and what it costs to start.
#
# usage: bench/sandbox.sh [WYNOT]     (gcc and bwrap are needed; as root, or as another user)
#
# Prints a table in Markdown. Only attempts that got out of one of the two sandboxes have a row.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
wynot=${1:-$root/target/release/wynot}
here=$(mktemp -d)
home=$(mktemp -d)
private=$(mktemp -d)
trap 'rm -rf "$here" "$home" "$private"' EXIT
cd "$here"
export HOME="$home" XDG_STATE_HOME="$here/state" TIMEFORMAT=%R
tag=$(basename "$here")
gcc -O1 -w -o probes "$root/crates/wynot/tests/sandbox/probes.c"
echo secret > "$home/secret"
echo precious > precious
printf 'a\nwant\nb\n' > in.txt
printf '#!/bin/sh\n%s/probes $PROBE %s %s; [ $? = 99 ] && exit 99\n! grep -q want "$1"\n' "$here" "$tag" "$here" > t
printf '#!/bin/sh\n%s/probes "$@"\n' "$here" > t2
chmod +x t t2
mkfifo end
./probes outside "$tag" "$here" < end > reached &
exec 8> end
while ! grep -q ready reached; do sleep 0.05; done

in_bubblewrap() {
    bwrap --unshare-all --new-session --die-with-parent --cap-drop ALL --ro-bind / / --dev /dev --proc /proc \
        --tmpfs /tmp --tmpfs /run --tmpfs "$home" --ro-bind "$here" "$here" --bind "$private" "$private" \
        --chdir "$private" "$@"
}

echo "| attempt | wynot | bubblewrap |"
echo "|---|---|---|"
count=0 wynot_reached=0 bubblewrap_reached=0
for probe in $(./probes list); do
    # These change the priority of processes, or send a signal to all, if they get out.
    case $probe in process_nice_user | process_kill_all) continue ;; esac
    count=$((count + 1))
    ours=contained theirs=contained
    PROBE=$probe "$wynot" reduce --fresh --sandbox --quiet -o out in.txt -- ./t {} > printed 2>&1 9< . || ours=reached
    in_bubblewrap "$here/t2" "$probe" "$tag" "$here" > /dev/null 2>&1 9< . && code=0 || code=$?
    [ "$code" = 99 ] && theirs=reached
    [ $ours = reached ] && wynot_reached=$((wynot_reached + 1))
    [ $theirs = reached ] && bubblewrap_reached=$((bubblewrap_reached + 1))
    [ "$ours$theirs" = containedcontained ] || echo "| $probe | $ours | $theirs |"
done
exec 8>&-
wait
echo
echo "$count attempts: $wynot_reached got out of the sandbox of wynot, $bubblewrap_reached out of bubblewrap"

# The time of one start, in milliseconds, as the fastest of five means over 20 starts.
cost() {
    best=1000000
    for _ in 1 2 3 4 5; do
        before=$(date +%s%N)
        for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do "$@" > /dev/null 2>&1 || :; done
        used=$((($(date +%s%N) - before) / 20000))
        [ $used -lt $best ] && best=$used
    done
    echo $best
}
printf '#!/bin/sh\nexit 1\n' > t3
chmod +x t3
plain=$(cost "$wynot" reduce --fresh -j 1 --max-tests 1 in.txt -- ./t3 {})
boxed=$(cost "$wynot" reduce --fresh -j 1 --max-tests 1 --sandbox in.txt -- ./t3 {})
nothing=$(cost /bin/true)
bubble=$(cost in_bubblewrap /bin/true)
echo "start of wynot: $plain us, with its sandbox: $boxed us (+$((boxed - plain)) us)"
echo "start of a program: $nothing us, in bubblewrap: $bubble us (+$((bubble - nothing)) us)"
