"""Reads SMT-LIB, checks sorts, and knows one message: a let hides a constant of another sort."""

from lists import read
from reading import Wrong, end

INT, BOOL = "Int", "Bool"
FUNCTIONS = {
    "not": ([BOOL], BOOL),
    **{name: ([BOOL, ...], BOOL) for name in ("and", "or", "=>", "xor")},
    **{name: ([INT, ...], INT) for name in ("+", "-", "*")},
    **{name: ([INT, INT], BOOL) for name in ("<", "<=", ">", ">=")},
}
LOGICS = ("ALL", "LIA", "UFLIA")


class Script:
    def __init__(self):
        self.sorts = {INT, BOOL}
        self.functions = {"true": ([], BOOL), "false": ([], BOOL), **FUNCTIONS}
        self.levels = 0
        self.message = None

    def run(self, command):
        match command:
            case ["set-logic", str(logic)] if logic in LOGICS:
                pass
            case ["set-info", str(key), _] if key.startswith(":"):
                pass
            case ["declare-sort", str(name), "0"]:
                self.sorts.add(name)
            case ["declare-const", name, sort]:
                self.declare(name, [], sort)
            case ["declare-fun", name, [*parameters], sort]:
                self.declare(name, parameters, sort)
            case ["define-fun", name, [*parameters], sort, body]:
                bound = self.parameters(parameters)
                self.want(self.sort(body, bound), sort)
                self.declare(name, list(bound.values()), sort)
            case ["assert", term]:
                self.want(self.sort(term, {}), BOOL)
            case ["push", "1"]:
                self.levels += 1
            case ["pop", "1"] if self.levels:
                self.levels -= 1
            case ["get-value", [_, *_] as terms]:
                for term in terms:
                    self.sort(term, {})
            case ["check-sat"] | ["exit"]:
                pass
            case _:
                raise Wrong(f"the command {command}")

    def declare(self, name, parameters, sort):
        if name in self.functions or not isinstance(name, str) or not name[0].isalpha():
            raise Wrong(f"the name {name}")
        for used in [*parameters, sort]:
            if isinstance(used, list) or used not in self.sorts:
                raise Wrong(f"the sort {used}")
        self.functions[name] = (parameters, sort)

    def parameters(self, parameters):
        bound = {}
        for parameter in parameters:
            match parameter:
                case [str(name), str(sort)] if sort in self.sorts and name[0].isalpha():
                    bound[name] = sort
                case _:
                    raise Wrong(f"the parameter {parameter}")
        return bound

    def want(self, sort, wanted):
        if sort != wanted:
            raise Wrong(f"{sort} instead of {wanted}")

    def sort(self, term, bound):
        """The sort of a term."""
        match term:
            case str(word) if word.isdigit():
                return INT
            case str(word) if word in bound:
                return bound[word]
            case ["let", [_, *_] as bindings, body]:
                return self.sort(body, {**bound, **self.bindings(bindings, bound)})
            case ["forall" | "exists", [_, *_] as parameters, body]:
                self.want(self.sort(body, {**bound, **self.parameters(parameters)}), BOOL)
                return BOOL
            case ["!", body, ":named", str(name)]:
                sort = self.sort(body, bound)
                self.declare(name, [], sort)
                return sort
            case ["ite", condition, yes, no]:
                self.want(self.sort(condition, bound), BOOL)
                sort = self.sort(yes, bound)
                self.want(self.sort(no, bound), sort)
                return sort
            case ["=" | "distinct", first, _, *_]:
                sort = self.sort(first, bound)
                for other in term[2:]:
                    self.want(self.sort(other, bound), sort)
                return BOOL
            case str(name) if name in self.functions and not self.functions[name][0]:
                return self.functions[name][1]
            case [str(name), *arguments] if arguments and name in self.functions:
                return self.call(name, [self.sort(argument, bound) for argument in arguments])
        raise Wrong(f"the term {term}")

    def bindings(self, bindings, bound):
        sorts = {}
        for binding in bindings:
            match binding:
                case [str(name), term] if name[0].isalpha() and name not in ("true", "false"):
                    sorts[name] = self.sort(term, bound)
                    if self.functions.get(name, ([], sorts[name])) != ([], sorts[name]):
                        self.message = f"{name} hides a constant of another sort"
                case _:
                    raise Wrong(f"the binding {binding}")
        return sorts

    def call(self, name, sorts):
        wanted, result = self.functions[name]
        if wanted[-1:] == [...]:
            wanted = [wanted[0]] * len(sorts)
        if sorts != wanted:
            raise Wrong(f"{name} of {sorts}")
        return result


def check(text):
    script = Script()
    for command in read(text):
        script.run(command)
    return script.message


end(check)
