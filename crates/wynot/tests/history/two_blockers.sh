# Old versions lack a file that the build reads, and older ones an option too.
calculator
commit Start
work 1 7
break_mul
commit 'Multiply quickly'
work 8 13
add_plain
commit 'Add --plain'
work 14 19
echo 1.0 > VERSION
sed -i '1s/.*/# Arithmetic of release 1.0/' lib.sh
commit 'Number the release'
work 20 25
test_calculator 'sh prog --plain mul 3 4' 7 12
