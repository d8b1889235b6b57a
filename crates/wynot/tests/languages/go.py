"""Reads Go and knows one message: a goroutine uses the variable of the loop around it."""

from reading import Reader, Wrong, end, scan

SYMBOLS = "{ } ( ) [ ] ; , . ... : := = += -= *= /= == != < > <= >= <- + - * / % ++ -- ! && || & |"
KEYWORDS = """break case chan const continue default defer else for func go if import interface map package
    range return struct switch type var"""
UNIVERSE = """append cap close copy len make new panic print println delete true false nil iota bool byte error
    int int64 string uint"""
LEVELS = [["||"], ["&&"], ["==", "!=", "<", "<=", ">", ">="], ["+", "-", "|"], ["*", "/", "%", "&"]]
CALL, PLACE, VALUE = "call", "place", "value"


class Variable:
    def __init__(self, loop):
        self.loop, self.used = loop, False


def tokens(text):
    """With a semicolon at the end of each line that may be the end of a statement."""
    before = None
    for kind, word, fresh in [*scan(text, SYMBOLS, also="_"), ("end", "", True)]:
        ends = before and (before[0] in ("number", "string") or before[1] in ") ] } ++ -- return break".split())
        ends = ends or (before and before[0] == "name" and before[1] not in Go.keywords)
        if fresh and ends:
            yield "symbol", ";", False
        before = (kind, word)
        if kind != "end":
            yield kind, word, fresh


class Go(Reader):
    keywords = frozenset(KEYWORDS.split())

    def __init__(self, text):
        super().__init__(tokens(text))
        self.declared = set(UNIVERSE.split())
        self.asked = set()
        self.imports = {}
        self.scopes = []
        # How many scopes are around each function literal that go or defer starts.
        self.literals = []
        self.composite = True
        self.message = None

    def check(self):
        self.expect("package")
        self.name()
        self.expect(";")
        while self.accept("import"):
            if self.accept("("):
                while not self.accept(")"):
                    self.imported()
                    self.separate(";", ")")
            else:
                self.imported()
            self.expect(";")
        while self.kind() != "end":
            self.declaration()
        missing = self.asked - self.declared
        unused = [name for name, used in self.imports.items() if not used]
        if missing or unused:
            raise Wrong(f"missing: {missing}, imported and not used: {unused}")
        return self.message

    def imported(self):
        if self.kind() != "string":
            raise Wrong("an import is a string")
        self.imports[self.take().strip('"').split("/")[-1]] = False

    # Names.

    def declare(self, name, loop=False):
        if name != "_":
            self.scopes[-1][name] = Variable(loop)

    def use(self, name):
        for at in reversed(range(len(self.scopes))):
            if name in self.scopes[at]:
                variable = self.scopes[at][name]
                variable.used = True
                if variable.loop and any(literal > at for literal in self.literals):
                    self.message = f"loop variable {name} captured by func literal"
                return
        if name in self.imports:
            if self.next() != ".":
                raise Wrong(f"the package {name} alone")
            self.imports[name] = True
        else:
            self.asked.add(name)

    def inside(self, read):
        self.scopes.append({})
        read()
        unused = [name for name, variable in self.scopes.pop().items() if not variable.used]
        if unused:
            raise Wrong(f"declared and not used: {unused}")

    # Declarations.

    def declaration(self):
        if self.accept("func"):
            method = self.next() == "("
            signature = []
            if method:
                signature += self.parameters()
            name = self.name()
            if not method:
                self.declared.add(name)
            signature += self.signature()
            self.body(signature)
        elif self.accept("type"):
            self.declared.add(self.name())
            self.type()
        else:
            self.expect("const")
            self.declared.add(self.name())
            if self.next() not in ("=", ";"):
                self.type()
            if self.accept("="):
                self.expression()
        self.expect(";")

    def signature(self):
        """The names of its parameters."""
        names = self.parameters()
        if self.next() == "(":
            self.parameters()
        elif self.next() not in ("{", ";", ",", ")", "}"):
            self.type()
        return names

    def parameters(self):
        """The names of those that have one."""
        self.expect("(")
        return [name for name in self.list(self.parameter, ")") if name]

    def parameter(self):
        if self.is_name() and self.after() not in (",", ")", "."):
            name = self.name()
            self.accept("...")
            self.type()
            return name
        self.type()
        return None

    def body(self, names):
        def read():
            for name in names:
                self.declare(name)
                self.use(name)
            self.block()

        composite, self.composite = self.composite, True
        self.inside(read)
        self.composite = composite

    def type(self):
        if self.accept("*"):
            self.type()
        elif self.accept("["):
            if self.next() != "]":
                self.expression()
            self.expect("]")
            self.type()
        elif self.accept("map"):
            self.expect("[")
            self.type()
            self.expect("]")
            self.type()
        elif self.accept("chan"):
            self.type()
        elif self.accept("func"):
            self.signature()
        elif self.accept("struct"):
            self.expect("{")
            while not self.accept("}"):
                self.name()
                while self.accept(","):
                    self.name()
                if self.next() not in (";", "}"):
                    self.type()
                self.separate(";", "}")
        else:
            self.use(self.name())
            if self.accept("."):
                self.name()

    # Statements.

    def block(self):
        self.expect("{")
        while not self.accept("}"):
            self.statement()
            self.separate(";", "}")

    def statement(self):
        word = self.next()
        if word == "{":
            self.inside(self.block)
        elif word == "if":
            self.inside(self.condition)
        elif word == "for":
            self.inside(self.loop)
        elif word == "switch":
            self.inside(self.switch)
        elif self.accept("go", "defer"):
            self.start()
        elif self.accept("return"):
            if self.next() not in (";", "}"):
                self.expressions()
        elif self.accept("var"):
            name = self.name()
            if self.next() != "=":
                self.type()
            if self.accept("="):
                self.expression()
            self.declare(name)
        elif word not in (";", "}") and not self.accept("break", "continue"):
            self.simple()

    def start(self):
        literal = self.next() == "func"
        if literal:
            self.literals.append(len(self.scopes))
        called = self.expression()
        if literal:
            self.literals.pop()
        if called != CALL:
            raise Wrong("only a call can be started")

    def without_composite(self, read):
        composite, self.composite = self.composite, False
        read()
        self.composite = composite

    def condition(self):
        self.expect("if")
        self.without_composite(self.head)
        self.inside(self.block)
        if self.accept("else"):
            self.inside(self.condition if self.next() == "if" else self.block)

    def head(self):
        """A condition, perhaps behind a simple statement."""
        if self.next() == "{":
            raise Wrong("no condition")
        if self.simple() == "statement" or self.next() == ";":
            self.expect(";")
            self.expression()

    def loop(self):
        self.expect("for")
        if self.next() != "{":
            self.without_composite(self.head_of_loop)
        self.inside(self.block)

    def head_of_loop(self):
        if self.accept("range"):
            self.expression()
        elif self.next() == ";" or self.simple(loop=True) == "statement":
            self.expect(";")
            if self.next() != ";":
                self.expression()
            self.expect(";")
            if self.next() != "{":
                self.simple()

    def switch(self):
        self.expect("switch")
        if self.next() != "{":
            self.without_composite(self.expression)
        self.expect("{")
        while not self.accept("}"):
            if not self.accept("default"):
                self.expect("case")
                self.expressions()
            self.expect(":")
            self.inside(self.statements_of_case)

    def statements_of_case(self):
        while self.next() not in ("case", "default", "}"):
            self.statement()
            self.separate(";", "}")

    def simple(self, loop=False):
        start = self.at
        if self.is_name() and self.new_names() and self.accept(":="):
            names = [word for kind, word, _ in self.tokens[start : self.at] if kind == "name"]
            ranged = loop and self.accept("range")
            self.expressions()
            if all(name in self.scopes[-1] or name == "_" for name in names):
                raise Wrong("no new variables")
            for name in names:
                if name not in self.scopes[-1]:
                    self.declare(name, loop)
            return "range" if ranged else "statement"
        self.at = start
        kinds = self.expressions()
        if self.accept("=", "+=", "-=", "*=", "/="):
            if any(kind != PLACE for kind in kinds):
                raise Wrong("nothing that can be assigned to")
            self.expressions()
            return "statement"
        if self.accept("++", "--"):
            return "statement"
        if self.accept("<-"):
            self.expression()
            return "statement"
        if self.composite and kinds != [CALL]:
            raise Wrong("evaluated but not used")
        return "expression"

    def new_names(self):
        self.name()
        while self.accept(","):
            if not self.is_name():
                return False
            self.take()
        return True

    # Expressions.

    def expressions(self):
        kinds = [self.expression()]
        while self.accept(","):
            kinds.append(self.expression())
        return kinds

    def expression(self):
        return self.binary(LEVELS, self.unary)

    def unary(self):
        operator = self.accept("!", "-", "&", "*", "<-")
        if operator:
            self.unary()
            return {"*": PLACE, "<-": CALL}.get(operator, VALUE)
        kind = self.primary()
        while True:
            if self.accept("."):
                self.name()
                kind = PLACE
            elif self.accept("["):
                if self.next() != ":":
                    self.expression()
                if self.accept(":") and self.next() != "]":
                    self.expression()
                self.expect("]")
                kind = PLACE
            elif self.accept("("):
                self.list(self.argument, ")")
                kind = CALL
            elif kind == PLACE and self.composite and self.next() == "{":
                self.take()
                self.list(self.element, "}")
                kind = VALUE
            else:
                return kind

    def argument(self):
        if self.next() in ("[", "map", "chan"):
            self.type()
            if self.accept("{"):
                self.list(self.element, "}")
        else:
            self.expression()
            self.accept("...")

    def element(self):
        if self.is_name() and self.after() == ":":
            self.take()
        elif self.next() == "{":
            self.take()
            self.list(self.element, "}")
        else:
            self.expression()
        if self.accept(":"):
            self.expression()

    def primary(self):
        if self.kind() in ("string", "number"):
            self.take()
            return VALUE
        if self.accept("("):
            composite, self.composite = self.composite, True
            kind = self.expression()
            self.composite = composite
            self.expect(")")
            return kind
        if self.accept("func"):
            self.body(self.signature())
            return VALUE
        if self.next() in ("[", "map"):
            self.type()
            self.expect("{")
            self.list(self.element, "}")
            return VALUE
        self.use(self.name())
        return PLACE


end(lambda text: Go(text).check())
