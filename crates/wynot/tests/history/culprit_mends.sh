# One commit adds the option that the test calls for and breaks multiplication.
calculator
commit Start
work 1 14
break_mul
add_plain
commit 'Rework it'
work 15 24
test_calculator 'sh calc.sh --plain mul 3 4' 7 12
