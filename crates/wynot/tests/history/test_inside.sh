# The test is in the repository, since yesterday.
calculator
commit Start
work 1 10
break_mul
commit 'Multiply quickly'
work 11 24
mkdir tests
test_calculator 'sh calc.sh mul 3 4' '[7]' '[12]'
mv ../t tests/check.sh
commit 'Test it'
