"""Reads JavaScript or TypeScript and knows two messages: a name that is declared twice where that is
an error, and a class that lacks what its interface promises."""

from reading import Reader, Wrong, end, scan

SYMBOLS = "{ } ( ) [ ] ; , . ... ?. ? ?? : => = += -= === !== < > <= >= + - * / ! & | && ||"
KEYWORDS = """break case catch class const continue default else export extends finally for function if import in
    instanceof let new null return super switch this throw true false try typeof var void while await"""
LEVELS = [["??", "||"], ["&&"], ["===", "!=="], ["<", ">", "<=", ">="], ["+", "-"], ["*", "/"]]
MODIFIERS = ("public", "private", "protected", "readonly", "static", "async", "get", "set")
TARGET, OTHER = "target", "other"


class Scope:
    """The names of a block: those of let, const and class, and the others."""

    def __init__(self, outer=None, function=False):
        self.outer, self.function = outer, function
        self.lexical, self.variables = set(), set()


class Script(Reader):
    keywords = frozenset(KEYWORDS.split())

    def __init__(self, text):
        super().__init__(scan(text, SYMBOLS))
        self.scope = Scope(function=True)
        self.twice = None
        self.interfaces, self.classes = {}, []

    def check(self):
        while self.kind() != "end":
            self.statement()
        return self.twice or self.unkept()

    # What the messages are about.

    def declare(self, kind, name):
        """A var is also one of all blocks around it, up to the function."""
        scope = self.scope
        known = scope.lexical if kind in ("var", "function") else scope.lexical | scope.variables
        (scope.variables if kind in ("var", "function") else scope.lexical).add(name)
        while kind == "var" and name not in known and not scope.function:
            scope = scope.outer
            known = scope.lexical
            scope.variables.add(name)
        if name in known:
            self.twice = f"Identifier '{name}' has already been declared"

    def unkept(self):
        for name, promises, members in self.classes:
            for promise in promises:
                if promise not in self.interfaces:
                    raise Wrong(f"there is no interface {promise}")
                if self.interfaces[promise] - members:
                    return f"Class '{name}' incorrectly implements interface '{promise}'"
        return None

    # Statements.

    def inside(self, read, function=False):
        outer, self.scope = self.scope, Scope(self.scope, function)
        try:
            read()
        finally:
            self.scope = outer

    def block(self):
        self.expect("{")
        while not self.accept("}"):
            self.statement()

    def statement(self):
        if self.accept("export") and self.next() not in ("const", "class", "function", "interface"):
            raise Wrong("nothing to export")
        word = self.next()
        if word == "{":
            self.inside(self.block)
        elif word in ("const", "let", "var"):
            self.declaration()
            self.separate(";", "}")
        elif self.accept("if"):
            self.expect("(")
            self.assignment()
            self.expect(")")
            self.statement()
            if self.accept("else"):
                self.statement()
        elif word == "for":
            self.inside(self.loop)
        elif word == "switch":
            self.inside(self.switch)
        elif self.accept("try"):
            self.inside(self.block)
            self.expect("catch")
            self.inside(self.handler)
        elif self.accept("return", "throw"):
            if word == "throw" or self.next() not in (";", "}"):
                self.assignment()
            self.separate(";", "}")
        elif word == "class":
            self.class_()
        elif self.accept("function"):
            self.declare("function", self.name())
            self.callable()
        elif word == "interface" and self.tokens[self.at + 1][0] == "name":
            self.interface()
        elif word == "type" and self.tokens[self.at + 1][0] == "name":
            self.take()
            self.name()
            self.expect("=")
            self.type()
            self.separate(";", "}")
        elif not self.accept(";"):
            self.assignment()
            self.separate(";", "}")

    def declaration(self, in_loop=False):
        kind = self.accept("const", "let", "var")
        if not kind:
            raise Wrong("no declaration")
        for name in self.pattern():
            self.declare(kind, name)
        if self.accept("="):
            self.assignment()
        elif kind == "const" and not in_loop:
            raise Wrong("a constant without value")

    def pattern(self):
        """The names that it binds."""
        return self.list(self.name, "}") if self.accept("{") else [self.name()]

    def loop(self):
        self.expect("for")
        self.expect("(")
        self.declaration(in_loop=True)
        self.expect("of")
        self.assignment()
        self.expect(")")
        self.statement()

    def switch(self):
        self.expect("switch")
        self.expect("(")
        self.assignment()
        self.expect(")")
        self.expect("{")
        while not self.accept("}"):
            if not self.accept("default"):
                self.expect("case")
                self.assignment()
            self.expect(":")
            while self.next() not in ("case", "default", "}"):
                self.statement()

    def handler(self):
        self.expect("(")
        self.scope.variables.add(self.name())
        self.expect(")")
        self.block()

    # Functions and classes.

    def parameters(self):
        self.expect("(")
        return sum(self.list(self.parameter, ")"), [])

    def parameter(self):
        if self.next() == "private" and self.after() not in (",", ")", ":"):
            self.take()
        names = self.pattern()
        self.accept("?")
        if self.accept(":"):
            self.type()
        if self.accept("="):
            self.assignment()
        return names

    def callable(self):
        self.parameters_of_type()
        names = self.parameters()
        if self.accept(":"):
            self.type()
        self.inside(lambda: self.body(names), function=True)

    def body(self, names):
        self.scope.variables.update(names)
        if self.next() == "{":
            self.block()
        else:
            self.assignment()

    def class_(self):
        self.expect("class")
        name = self.name()
        self.declare("let", name)
        self.parameters_of_type()
        if self.accept("extends"):
            self.name()
        promises = []
        if self.accept("implements"):
            promises.append(self.name())
        self.expect("{")
        members = set()
        while not self.accept("}"):
            members.add(self.member())
        self.classes.append((name, promises, members))

    def member(self):
        plain = ("(", "=", ":", ";", "<", "?", "}")
        while self.next() in MODIFIERS and self.after() not in plain:
            self.take()
        name = self.key()
        if self.next() in ("(", "<"):
            self.callable()
            return name
        self.accept("?")
        if self.accept(":"):
            self.type()
        if self.accept("="):
            self.assignment()
        self.separate(";", "}")
        return name

    def key(self):
        if self.kind() not in ("name", "string", "number"):
            raise Wrong(f"{self.next()!r} is not a key")
        return self.take()

    # Types.

    def interface(self):
        self.expect("interface")
        name = self.name()
        self.expect("{")
        self.interfaces[name] = self.members_of_type()

    def members_of_type(self):
        """The names of those that are not optional."""
        needed = set()
        while not self.accept("}"):
            if self.next() == "readonly" and self.after() not in (":", "(", ";", "?"):
                self.take()
            name = self.key()
            if not self.accept("?"):
                needed.add(name)
            if self.next() == "(":
                self.parameters()
            if self.accept(":"):
                self.type()
            self.separate(";", "}")
        return needed

    def parameters_of_type(self):
        if self.accept("<"):
            self.list(self.type, ">", trailing=False)

    def type(self):
        self.single_type()
        while self.accept("|", "&"):
            self.single_type()

    def single_type(self):
        if self.kind() in ("string", "number"):
            self.take()
        elif self.accept("null", "void"):
            pass
        elif self.accept("{"):
            self.members_of_type()
        elif self.next() == "(":
            self.parameters()
            self.expect("=>")
            self.type()
        else:
            self.name()
            self.parameters_of_type()
        while self.accept("["):
            self.expect("]")

    # Expressions.

    def assignment(self):
        if self.next() == "(" or (self.is_name() and self.after() == "=>"):
            names = self.attempt(self.head_of_arrow)
            if names is not None:
                self.inside(lambda: self.body(names), function=True)
                return
        left = self.binary(LEVELS, self.unary)
        if self.accept("?"):
            self.assignment()
            self.expect(":")
            self.assignment()
        elif self.accept("=", "+=", "-="):
            if left != TARGET:
                raise Wrong("nothing that can be assigned to")
            self.assignment()

    def head_of_arrow(self):
        if self.is_name():
            names = [self.name()]
        else:
            names = self.parameters()
            if self.accept(":"):
                self.type()
        self.expect("=>")
        return names

    def unary(self):
        if self.accept("!", "-"):
            self.unary()
            return OTHER
        kind = self.postfix()
        while self.accept("as"):
            self.type()
            kind = OTHER
        return kind

    def postfix(self):
        if self.accept("new"):
            self.name()
            self.parameters_of_type()
            self.expect("(")
            self.list(self.element, ")")
            kind = OTHER
        else:
            kind = self.primary()
        while True:
            if self.accept("."):
                if self.kind() != "name":
                    raise Wrong("nothing behind a dot")
                self.take()
                kind = TARGET
            elif self.accept("?."):
                self.key()
                kind = OTHER
            elif self.accept("["):
                self.assignment()
                self.expect("]")
                kind = TARGET
            elif self.accept("("):
                self.list(self.element, ")")
                kind = OTHER
            else:
                return kind

    def element(self):
        self.accept("...")
        self.assignment()

    def primary(self):
        if self.kind() in ("string", "number"):
            self.take()
        elif self.accept("this", "null", "true", "false", "super"):
            pass
        elif self.accept("("):
            self.assignment()
            self.expect(")")
        elif self.accept("["):
            self.list(self.element, "]")
        elif self.accept("{"):
            self.list(self.property, "}")
        else:
            self.name()
            return TARGET
        return OTHER

    def property(self):
        plain = self.is_name()
        self.key()
        if self.accept(":"):
            self.assignment()
        elif not plain:
            raise Wrong("a key without value")


end(lambda text: Script(text).check())
