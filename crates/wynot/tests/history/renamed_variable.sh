# The culprit's lines are part of a class today, and a variable has another name.
cat > shop.py <<'END'
import sys

VERSION = 0


def net(items):
    total = 0
    for item in items:
        total += item
    return total


def print_gross(items, rate):
    total = net(items)
    print(total * (100 + rate) // 100)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    print_gross(numbers[1:], numbers[0])
END
fill() {
    sed -i "s/^VERSION = .*/VERSION = $1/" shop.py
}
commit Start
work 1 6
sed -i 's/(100 + rate)/rate/; s/"__main__":/&  # not when imported/' shop.py
commit 'Simplify prices'
work 7 12
cat > shop.py <<'END'
import sys

VERSION = 12


class Invoice:
    def __init__(self, items):
        self.items = items

    def net(self):
        amount = 0
        for item in self.items:
            amount += item
        return amount

    def print_gross(self, rate):
        amount = self.net()
        print(amount * rate // 100)


if __name__ == "__main__":  # not when imported
    numbers = [int(word) for word in sys.argv[1:]]
    Invoice(numbers[1:]).print_gross(numbers[0])
END
commit 'An invoice is a class'
work 13 20
test_script <<'END'
out=$(python3 -BES shop.py 20 100 50) || exit 2
case $out in
    30) echo "error: wrong price" >&2; exit 1 ;;
    180) exit 0 ;;
esac
exit 2
END
