# A line that stops the program was added after the culprit and removed long after that.
calculator
commit Start
work 1 5
break_mul
commit 'Multiply quickly'
work 6 8
sed -i '/^left=/i . ./colors.sh' calc.sh
commit 'Use colours'
work 9 21
sed -i '/colors.sh/d; s/calc: no/calc: cannot/' calc.sh
commit 'Forget colours'
work 22 24
test_calculator 'sh calc.sh mul 3 4' '[7]' '[12]'
