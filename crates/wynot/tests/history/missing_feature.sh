# The test calls for an option that is younger than the culprit, and that two files are needed for.
calculator
commit Start
work 1 9
break_mul
commit 'Multiply quickly'
work 10 17
sed -i '/^left=/a [ "$1" != --plain ] || { plain; shift; }' calc.sh
sed -i '/^# More/i plain() { left= right=; }' lib.sh
sed -i 's/calc: no/calc: cannot/' calc.sh
echo plain >> notes
commit 'Add --plain'
work 18 23
test_calculator 'sh calc.sh --plain mul 3 4' 7 12
