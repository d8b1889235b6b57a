"""Reads CSS and knows one message: a property is used everywhere but set only in @media."""

from reading import Reader, Wrong, end, scan

SYMBOLS = "{ } ( ) [ ] ; , . :: : > + ~ ^= = * / % # @ !"


class Css(Reader):
    def __init__(self, text):
        super().__init__(scan(text, SYMBOLS, comments=("", "/*"), quotes="\"'", also="_-", units=True))
        self.media = False
        self.set, self.used = {False: set(), True: set()}, set()

    def check(self):
        while self.kind() != "end":
            self.rule()
        only = (self.used & self.set[True]) - self.set[False]
        return only and f"{min(only)} is set only in @media"

    def rule(self):
        if self.accept("@"):
            self.at_rule(self.name())
        else:
            self.selectors()
            self.declarations()

    def at_rule(self, name):
        if name == "import":
            self.value(";")
            self.expect(";")
            return
        if name == "keyframes":
            self.name()
        elif name in ("media", "supports"):
            self.condition()
        else:
            raise Wrong(f"@{name}")
        around, self.media = self.media, self.media or name == "media"
        self.expect("{")
        while not self.accept("}"):
            self.rule()
        self.media = around

    def condition(self):
        self.expect("(")
        self.name()
        self.expect(":")
        self.value(")")
        self.expect(")")
        if self.accept("and"):
            self.condition()

    def selectors(self):
        self.selector()
        while self.accept(","):
            self.selector()

    def selector(self):
        self.compound()
        while self.next() not in (",", "{"):
            self.accept(">", "+", "~")
            self.compound()

    def compound(self):
        start = self.at
        if self.kind() == "name" or self.next() == "*":
            self.take()
        while self.next() in (".", "#", ":", "::", "["):
            kind = self.take()
            self.name()
            if kind == "[":
                if self.accept("=", "^="):
                    self.take()
                self.expect("]")
            elif kind == ":" and self.accept("("):
                self.value(")")
                self.expect(")")
        if self.at == start:
            raise Wrong(f"{self.next()!r} selects nothing")

    def declarations(self):
        self.expect("{")
        while not self.accept("}"):
            name = self.name()
            self.expect(":")
            if name.startswith("--"):
                self.set[self.media].add(name)
            self.value(";")
            self.separate(";", "}")

    def value(self, close):
        """One part at least."""
        start = self.at
        while self.next() not in (close, "}") or self.kind() == "string":
            if self.kind() == "end" or self.next() in ("{", "]", ";", ":", "@", ")", "."):
                raise Wrong(f"{self.next()!r} in a value")
            if self.accept("#") and self.kind() not in ("name", "number"):
                raise Wrong("no colour")
            word = self.take()
            if self.accept("("):
                if word == "var":
                    name = self.name()
                    if not self.media:
                        self.used.add(name)
                    if self.accept(","):
                        self.value(")")
                else:
                    self.value(")")
                self.expect(")")
        if self.at == start:
            raise Wrong("no value")


end(lambda text: Css(text).check())
