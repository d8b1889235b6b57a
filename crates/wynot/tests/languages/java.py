"""Reads Java and knows one message: a lambda uses a local variable that is assigned more than once."""

from reading import Reader, Wrong, end, scan

SYMBOLS = "{ } ( ) [ ] ; , . ... @ :: : ? -> = += -= *= /= == != < > <= >= + - * / % ++ -- ! && || & |"
KEYWORDS = """boolean break case catch class continue default do double else enum extends final finally for if
    implements import instanceof int interface long new null package private protected public return static
    super switch this throw throws true false try void while"""
MODIFIERS = ("public", "private", "protected", "static", "final", "abstract")
PRIMITIVE = ("boolean", "int", "long", "double", "char")
LEVELS = [
    ["||"], ["&&"], ["|"], ["&"], ["==", "!="], ["<", ">", "<=", ">=", "instanceof"], ["+", "-"],
    ["*", "/", "%"],
]
CALL, PLACE, VALUE = "call", "place", "value"


class Local:
    """A local variable."""

    def __init__(self, name, depth, assigned):
        self.name, self.depth, self.assigned = name, depth, assigned
        self.captured = False


class Java(Reader):
    keywords = frozenset(KEYWORDS.split())

    def __init__(self, text):
        super().__init__(scan(text, SYMBOLS, quotes="\"'"))
        self.scopes = []
        self.locals = []
        self.depth = 0

    def check(self):
        if self.accept("package"):
            self.qualified()
            self.expect(";")
        while self.accept("import"):
            self.accept("static")
            self.qualified()
            self.expect(";")
        while self.kind() != "end":
            self.type_declaration()
        for local in self.locals:
            if local.captured and local.assigned > 1:
                return f"{local.name}, used in a lambda, must be final or effectively final"
        return None

    def qualified(self):
        name = self.name()
        while self.accept("."):
            name = self.accept("*") or self.name()
        return name

    # Declarations.

    def modifiers(self):
        while True:
            if self.accept("@"):
                self.name()
                if self.accept("("):
                    self.list(self.expression, ")", trailing=False)
            elif not self.accept(*MODIFIERS):
                return

    def type_declaration(self):
        self.modifiers()
        kind = self.accept("class", "interface", "enum")
        if not kind:
            raise Wrong(f"{self.next()!r} declares nothing")
        name = self.name()
        self.type_arguments()
        if self.accept("extends"):
            self.type()
        if self.accept("implements"):
            self.type()
            while self.accept(","):
                self.type()
        self.expect("{")
        if kind == "enum":
            self.constants()
        while not self.accept("}"):
            self.member(name)

    def constants(self):
        while self.is_name():
            self.name()
            if self.accept("("):
                self.list(self.expression, ")", trailing=False)
            if not self.accept(","):
                break
        self.separate(";", "}")

    def member(self, owner):
        start = self.at
        self.modifiers()
        if self.next() in ("class", "interface", "enum"):
            self.at = start
            self.type_declaration()
            return
        self.type_arguments()
        if self.next() == owner and self.after() == "(":
            self.take()
            self.method()
            return
        if not self.accept("void"):
            self.type()
        name = self.name()
        if self.next() == "(":
            self.method()
            return
        if self.accept("="):
            self.expression()
        self.expect(";")

    def method(self):
        self.scopes.append({})
        self.expect("(")
        self.list(self.parameter, ")", trailing=False)
        if self.accept("throws"):
            self.type()
        if not self.accept(";"):
            self.block()
        self.scopes.pop()

    def parameter(self):
        self.accept("final")
        self.type()
        self.accept("...")
        self.declare(self.name(), True)

    def declare(self, name, assigned):
        if any(name in scope for scope in self.scopes):
            raise Wrong(f"{name} is declared already")
        self.scopes[-1][name] = Local(name, self.depth, 1 if assigned else 0)
        self.locals.append(self.scopes[-1][name])

    def type(self):
        if not self.accept(*PRIMITIVE):
            self.qualified()
            self.type_arguments()
        while self.accept("["):
            self.expect("]")

    def type_arguments(self):
        if self.accept("<"):
            self.list(self.type_argument, ">", trailing=False)

    def type_argument(self):
        if not self.accept("?"):
            self.type()
        if self.accept("extends", "super"):
            self.type()

    # Statements.

    def block(self):
        self.expect("{")
        self.scopes.append({})
        while not self.accept("}"):
            self.statement()
        self.scopes.pop()

    def statement(self):
        word = self.next()
        if word == "{":
            self.block()
        elif word in ("if", "while"):
            self.take()
            self.parenthesised()
            self.statement()
            if word == "if" and self.accept("else"):
                self.statement()
        elif self.accept("for"):
            self.scopes.append({})
            self.expect("(")
            self.parameter()
            self.expect(":")
            self.expression()
            self.expect(")")
            self.statement()
            self.scopes.pop()
        elif self.accept("try"):
            self.block()
            if self.next() not in ("catch", "finally"):
                raise Wrong("try alone")
            while self.accept("catch"):
                self.scopes.append({})
                self.expect("(")
                self.parameter()
                self.expect(")")
                self.block()
                self.scopes.pop()
            if self.accept("finally"):
                self.block()
        elif self.accept("return", "throw"):
            if word == "throw" or self.next() != ";":
                self.expression()
            self.expect(";")
        elif self.accept("break", "continue", ";"):
            if word != ";":
                self.expect(";")
        elif self.attempt(self.head_of_local):
            self.rest_of_local()
            self.expect(";")
        else:
            self.action()
            self.expect(";")

    def parenthesised(self):
        self.expect("(")
        self.expression()
        self.expect(")")

    def head_of_local(self):
        self.accept("final")
        self.type()
        if not self.is_name() or self.after() not in ("=", ";"):
            raise Wrong("no declaration")
        return True

    def rest_of_local(self):
        name = self.name()
        assigned = self.accept("=")
        if assigned:
            self.expression()
        self.declare(name, assigned)

    def action(self):
        """An expression that does something."""
        if self.expression() != CALL:
            raise Wrong("not a statement")

    # Expressions: a local variable, or what can be called, assigned to or only be used.

    def expression(self):
        names = self.attempt(self.head_of_lambda)
        if names is not None:
            self.lambda_(names)
            return VALUE
        left = self.binary(LEVELS, self.unary)
        if self.accept("?"):
            self.expression()
            self.expect(":")
            self.expression()
            return VALUE
        if self.accept("=", "+=", "-=", "*=", "/="):
            self.assign(left)
            self.expression()
            return CALL
        return left

    def head_of_lambda(self):
        names = [self.name()] if self.is_name() else None
        if names is None:
            self.expect("(")
            names = self.list(self.name, ")", trailing=False)
        self.expect("->")
        return names

    def lambda_(self, names):
        self.depth += 1
        self.scopes.append({})
        for name in names:
            self.declare(name, True)
        if self.next() == "{":
            self.block()
        else:
            self.expression()
        self.scopes.pop()
        self.depth -= 1

    def assign(self, target):
        if isinstance(target, Local):
            target.assigned += 1
        elif target != PLACE:
            raise Wrong("nothing that can be assigned to")

    def unary(self):
        if self.accept("!", "-"):
            self.unary()
            return VALUE
        if self.accept("++", "--"):
            self.assign(self.unary())
            return CALL
        value = self.primary()
        while True:
            if self.accept("."):
                self.name()
                value = PLACE
            elif self.accept("::"):
                if not self.accept("new"):
                    self.name()
                value = VALUE
            elif self.accept("["):
                self.expression()
                self.expect("]")
                value = PLACE
            elif self.accept("++", "--"):
                self.assign(value)
                value = CALL
            else:
                return value
            if self.accept("("):
                self.list(self.expression, ")", trailing=False)
                value = CALL

    def primary(self):
        if self.kind() in ("string", "number") or self.next() in ("null", "true", "false", "this"):
            self.take()
            return VALUE
        if self.next() == "(":
            self.parenthesised()
            return VALUE
        if self.accept("new"):
            self.type()
            self.expect("(")
            self.list(self.expression, ")", trailing=False)
            return CALL
        name = self.name()
        if self.accept("("):
            self.list(self.expression, ")", trailing=False)
            return CALL
        for scope in reversed(self.scopes):
            if name in scope:
                scope[name].captured = scope[name].captured or scope[name].depth < self.depth
                return scope[name]
        return PLACE


end(lambda text: Java(text).check())
