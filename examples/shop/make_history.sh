#!/bin/sh
# Makes a git repository with a small program and five commits, of which one breaks it: ./make_history.sh DIRECTORY
set -e
mkdir "$1"
cd "$1"
git init -q .
commit() {
    git add -A
    GIT_AUTHOR_DATE="2026-03-0$1T12:00:00Z" GIT_COMMITTER_DATE="2026-03-0$1T12:00:00Z" \
        git -c user.name=Ada -c user.email=ada@example.com -c commit.gpgsign=false commit -qm "$2"
}
cat > prices.py <<'END'
"""Prices of a shop."""


def vat(cents):
    return round(cents * 0.19)


def shipping(cents):
    return 0 if cents >= 5000 else 490


def total(items):
    cents = sum(price * count for price, count in items)
    return cents + vat(cents) + shipping(cents)


if __name__ == "__main__":
    print(total([(1000, 2), (350, 4)]))
END
cat > check.sh <<'END'
#!/bin/sh
test "$(python3 prices.py)" = 4536
END
chmod +x check.sh
commit 1 "Prices of a shop"
git tag v1
echo "# The shop" > README
commit 2 "A title"
cat > discount.py <<'END'
def discount(cents):
    return cents // 10 if cents > 10000 else 0
END
commit 3 "Discounts"
sed -i 's/^def vat/from discount import discount\n\n\ndef vat/
s/^    return cents + vat(cents) + shipping(cents)/    cents -= discount(cents)\n    tax = vat(cents + shipping(cents))\n    return cents + tax + shipping(cents)/' prices.py
commit 4 "Discounts are taken off"
echo "Prices are in cents." >> README
commit 5 "What prices are"
git tag v2
