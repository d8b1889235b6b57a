"""What the checkers share: strict reading, and how they end.

They stand in for compilers that are not on every machine: a text that the compiler would not even read
ends with 2, the one message they know with 1, everything else with 0. They do without the module re,
which takes longer to load than they take to run.
"""

import sys


class Wrong(Exception):
    """The text is not of the language."""


def end(check):
    """Checks the file that the command line names, and exits."""
    with open(sys.argv[1], encoding="utf-8", errors="replace") as file:
        text = file.read()
    try:
        message = check(text)
    except (Wrong, RecursionError) as wrong:
        print("cannot read this:", wrong, file=sys.stderr)
        sys.exit(2)
    if message:
        print(message, file=sys.stderr)
        sys.exit(1)


def scan(text, symbols, comments=("//", "/*"), quotes="\"'`", also="_$", units=False):
    """Yields (kind, text, whether a line ended before it); kinds are name, number, string, symbol."""
    line, block = comments
    symbols = sorted(symbols.split(), key=len, reverse=True)
    at, fresh = 0, True
    while at < len(text):
        start, c = at, text[at]
        if c.isspace():
            fresh = fresh or c == "\n"
            at += 1
            continue
        if line and text.startswith(line, at):
            at = text.find("\n", at) % (len(text) + 1)
            continue
        if text.startswith(block, at):
            at = text.find("*/", at + 2) + 2
            if at < start + 4:
                raise Wrong("a comment does not end")
            continue
        if c in quotes:
            kind, at = "string", closing_quote(text, at)
        elif c.isdigit():
            kind = "number"
            while at < len(text) and (text[at].isalnum() or text[at] == "."):
                at += 1
            number = text[start:at]
            if not units and not number.replace(".", "", 1).isdigit():
                raise Wrong(f"the number {number}")
        elif c.isalpha() or c in also:
            kind = "name"
            while at < len(text) and (text[at].isalnum() or text[at] in also):
                at += 1
        else:
            kind = "symbol"
            found = next((symbol for symbol in symbols if text.startswith(symbol, at)), None)
            if found is None:
                raise Wrong(f"the character {c!r}")
            at += len(found)
        yield kind, text[start:at], fresh
        fresh = False


def closing_quote(text, start):
    """The position behind the quoted text that begins at start."""
    at = start + 1
    while at < len(text) and text[at] != text[start]:
        if text[at] == "\n" and text[start] != "`":
            break
        at += 2 if text[at] == "\\" else 1
    if text[at : at + 1] != text[start]:
        raise Wrong("a quote does not end")
    return at + 1


class Reader:
    """Tokens, read one after the other."""

    keywords = frozenset()

    def __init__(self, tokens):
        self.tokens = [*tokens, ("end", "", True), ("end", "", True)]
        self.at = 0

    def kind(self):
        return self.tokens[self.at][0]

    def next(self):
        """The next token's text, for a string with its quotes; empty at the end."""
        return self.tokens[self.at][1]

    def take(self):
        text = self.next()
        if self.kind() == "end":
            raise Wrong("it ends too early")
        self.at += 1
        return text

    def accept(self, *texts):
        if self.next() in texts and self.kind() != "end":
            return self.take()
        return None

    def expect(self, text):
        if not self.accept(text):
            raise Wrong(f"{text} is missing before {self.next()!r}")

    def after(self):
        """The text of the token behind the next one."""
        return self.tokens[self.at + 1][1]

    def separate(self, separator, close):
        """Between two things a separator is needed, before what closes it is not."""
        if self.next() != close:
            self.expect(separator)

    def is_name(self):
        return self.kind() == "name" and self.next() not in self.keywords

    def name(self):
        if not self.is_name():
            raise Wrong(f"{self.next()!r} is not a name")
        return self.take()

    def list(self, item, close, trailing=True):
        """Items with commas between them, up to what closes the list."""
        items = []
        while not self.accept(close):
            items.append(item())
            if self.accept(","):
                if not trailing and self.next() == close:
                    raise Wrong("a comma too many")
            elif self.next() != close:
                raise Wrong(f"{self.next()!r} in a list")
        return items

    def attempt(self, read):
        """What read returns, or None and back to where it began."""
        start = self.at
        try:
            return read()
        except Wrong:
            self.at = start
            return None

    def binary(self, levels, operand):
        """Operators of the first level bind least."""
        if not levels:
            return operand()
        left = self.binary(levels[1:], operand)
        while self.accept(*levels[0]):
            self.binary(levels[1:], operand)
            left = None
        return left
