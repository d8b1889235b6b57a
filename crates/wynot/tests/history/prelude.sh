# What the scripts in this folder share. Each makes repo and, outside of it, the test t.
set -e
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.org
export GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.org

# One day after the commit before it, whatever the clock says.
next_day() {
    day=$((${day:-0} + 1))
    export GIT_AUTHOR_DATE="@$((1500000000 + day * 86400)) +0100"
    export GIT_COMMITTER_DATE="$GIT_AUTHOR_DATE"
}

commit() {
    next_day
    git add -A
    git commit -qm "$1"
}

# Commits FIRST to LAST that matter to no test. A script may define what they do besides.
work() {
    for i in $(seq "$1" "$2"); do
        echo "note $i" >> notes
        fill "$i"
        commit "Work $i"
    done
}

# A calculator in two files. Each commit of `work` changes the first line of one and adds to the other.
calculator() {
    cat > calc.sh <<'END'
# Version 0
. ./lib.sh
left="[" right="]"

op=$1
case $op in
    add|mul) answer=$($op "$2" "$3") ;;
    *) echo "calc: no $op" >&2; exit 64 ;;
esac

echo "$left$answer$right"
END
    cat > lib.sh <<'END'
# Arithmetic.

add() {
    expr "$1" + "$2"
}

mul() {
    echo $(($1 * $2))
}

# More.
END
    echo start > notes
}

fill() {
    sed -i "1s/.*/# Version $1/" calc.sh
    printf 'f%d() {\n    :\n}\n' "$1" >> lib.sh
}

# Breaks multiplication, among other things.
break_mul() {
    sed -i 's/echo $(($1 \* $2))/echo $(($1 + $2))/; 1s/.*/# Arithmetic, quickly./' lib.sh
    echo quick >> notes
}

# The line that brackets are left out with.
plain='[ "$1" != --plain ] || { left= right=; shift; }'
add_plain() {
    sed -i "/^left=/a $plain" calc.sh
    sed -i '/^# More/i # Some of it is experimental.' lib.sh
    echo plain >> notes
}

# Writes ../t from standard input.
test_script() {
    { echo '#!/bin/sh'; cat; } > ../t
    chmod 755 ../t
}

# A test of the calculator, with a command and its wrong and right output.
test_calculator() {
    test_script <<END
out=\$($1 2>&1) || { echo "it ends early: \$out" >&2; exit 2; }
case \$out in
    "$2") echo "error: wrong product" >&2; exit 1 ;;
    "$3") exit 0 ;;
esac
echo "it prints \$out" >&2
exit 2
END
}

git init -q -b main repo
cd repo
git config gc.auto 0
git config maintenance.auto false
