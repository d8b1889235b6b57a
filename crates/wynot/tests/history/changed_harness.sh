# The test uses functions of the repository, and calls them as they are called today.
calculator
cat > harness.sh <<'END'
# Checks for the calculator.
count=0
usage() { echo "check is called in another way" >&2; exit 64; }
fail() { echo "error: $1 is wrong" >&2; exit 1; }

check() {
    [ $# = 2 ] || usage; [ "$1" = "$2" ] || fail "$2"
    count=$((count + 1))
}
END
mkdir tests
printf '. ./harness.sh\ncheck "[7]" "$(sh calc.sh add 3 4)"\n' > tests/add.sh
commit Start
work 1 7
break_mul
commit 'Multiply quickly'
work 8 16
sed -i 's/$# = 2 /$# = 3 /; s/"$1" = "$2"/"$2" = "$3"/; s/fail "$2"/fail "$1"/' harness.sh
sed -i 's/count=0/count=0 failed=0/' harness.sh
sed -i 's/check /check sum /' tests/add.sh
commit 'Checks have names'
work 17 24
test_script <<'END'
. ./harness.sh || exit 2
check product '[12]' "$(sh calc.sh mul 3 4)"
END
