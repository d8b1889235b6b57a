# Only the very first version worked.
calculator
commit Start
break_mul
commit 'Multiply quickly'
work 1 28
test_calculator 'sh calc.sh mul 3 4' '[7]' '[12]'
