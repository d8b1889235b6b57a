# What old versions lack was written after the whole tree had been indented anew.
indent='  '
cat > report.py <<'END'
import sys

VERSION = 0


def total(prices):
  amount = 0
  for price in prices:
    amount += price
  return amount


def main(words):
  prices = []
  for word in words:
    prices.append(int(word))
  print(total(prices))


if __name__ == "__main__":
  main(sys.argv[1:])
END
echo 'def unused():
  return 0' > other.py
fill() {
    sed -i "s/^VERSION = .*/VERSION = $1/" report.py
    printf '\n\ndef extra_%d():\n%sreturn %d\n' "$1" "$indent" "$1" >> other.py
}
commit Start
work 1 7
sed -i 's/amount += price/amount += 2 * price/; s/def unused/def not_used/' report.py other.py
commit 'Sum quickly'
work 8 14
sed -i -E 's/^( +)/\1\1/' report.py other.py
indent='    '
commit 'Indent by four'
work 15 19
sed -i 's/^        prices.append/        if word == "--":\n            continue\n&/' report.py
sed -i 's/def not_used/def never_used/' other.py
commit 'Allow --'
work 20 25
test_script <<'END'
out=$(python3 -BES report.py -- 3 4 2>/dev/null) || exit 2
case $out in
    14) echo "error: wrong total" >&2; exit 1 ;;
    7) exit 0 ;;
esac
exit 2
END
