# The culprit is on a branch that was merged; the option that the test calls for came after the merge.
calculator
commit Start
work 1 5
git checkout -qb side
side() {
    for i in $(seq "$1" "$2"); do
        echo "side $i" >> aside
        commit "Side $i"
    done
}
side 1 4
break_mul
git checkout -q HEAD notes
commit 'Multiply quickly'
side 5 7
git checkout -q main
fill() { sed -i "1s/.*/# Version $1/" calc.sh; }
work 6 11
next_day
git merge -q --no-ff -m 'Merge the side' side
work 12 15
add_plain
commit 'Add --plain'
work 16 20
test_calculator 'sh calc.sh --plain mul 3 4' 7 12
