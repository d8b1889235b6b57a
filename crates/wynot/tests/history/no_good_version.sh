# It never worked.
calculator
break_mul
commit Start
work 1 14
add_plain
commit 'Add --plain'
work 15 22
test_calculator 'sh calc.sh --plain mul 3 4' 7 12
