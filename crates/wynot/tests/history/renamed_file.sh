# The test names a file by the path that it has today.
cat > tool.py <<'END'
import sys

VERSION = 0


def print_mean(numbers):
    """Prints the arithmetic mean."""
    print(sum(numbers) / len(numbers))


def main(words):
    """Reads some numbers."""
    numbers = [float(word) for word in words]
    print_mean(numbers)


main(sys.argv[1:])
END
echo 'Run tool.py.' > README
fill() {
    sed -i "s/^VERSION = .*/VERSION = $1/" *tool.py src/tool.py 2>/dev/null || :
}
commit Start
work 1 8
sed -i 's,sum(numbers) / len,sum(numbers) // len,; s/Reads/Takes/' tool.py
commit 'Divide quickly'
work 9 17
mkdir src
git mv tool.py src/tool.py
sed -i 's/arithmetic mean/mean of numbers/' src/tool.py
echo 'Run src/tool.py.' > README
commit 'Sources have a folder'
work 18 25
test_script <<'END'
out=$(python3 -BES src/tool.py 1 2) || exit 2
case $out in
    1.0) echo "error: the mean is rounded" >&2; exit 1 ;;
    1.5) exit 0 ;;
esac
exit 2
END
