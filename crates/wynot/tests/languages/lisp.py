"""Runs a small Lisp and knows one message: a lambda is called with a wrong number of arguments."""

import sys

from lists import read
from reading import Wrong, end

SPECIAL = ("define", "lambda", "if", "cond", "let", "quote", "else")


class Lambda:
    def __init__(self, parameters, body, around):
        if not body or not all(isinstance(name, str) for name in parameters):
            raise Wrong("a strange lambda")
        self.parameters, self.body, self.around = parameters, body, around

    def __call__(self, *values):
        if len(values) != len(self.parameters):
            raise Miscalled
        return sequence(self.body, {**self.around, **dict(zip(self.parameters, values))})


class Miscalled(Exception):
    pass


GLOBALS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "quotient": lambda a, b: a // b,
    "<": lambda a, b: a < b,
    "list": lambda *items: list(items),
    "cons": lambda first, rest: [first, *rest],
    "car": lambda items: items[0],
    "cdr": lambda items: items[1:] if items else items[0],
    "null?": lambda items: items == [],
    "display": lambda item: None,
}


def sequence(body, names):
    value = None
    for expression in body:
        value = evaluate(expression, names)
    return value


def evaluate(expression, names):
    match expression:
        case str(word) if word.isdigit():
            return int(word)
        case str(word) if word.startswith("'") and len(word) > 1:
            return word
        case str(name) if name in names:
            return names[name]
        case str(name):
            return GLOBALS[name]
        case ["lambda", [*parameters], *body]:
            return Lambda(parameters, body, names)
        case ["if", condition, yes, no]:
            return evaluate(yes if evaluate(condition, names) is not False else no, names)
        case ["cond", *clauses]:
            for condition, *body in clauses:
                if condition == "else" or evaluate(condition, names) is not False:
                    return sequence(body, names)
        case ["let", [*bindings], _, *_]:
            bound = {name: evaluate(value, names) for name, value in bindings}
            return sequence(expression[2:], {**names, **bound})
        case [function, *arguments] if function not in SPECIAL:
            function = evaluate(function, names)
            return function(*(evaluate(argument, names) for argument in arguments))
    raise Wrong(f"the expression {expression}")


def check(text):
    sys.setrecursionlimit(500)
    try:
        for expression in read(text.replace("'()", "(list)")):
            match expression:
                case ["define", [str(name), *parameters], *body]:
                    GLOBALS[name] = Lambda(parameters, body, {})
                case ["define", str(name), value]:
                    GLOBALS[name] = evaluate(value, {})
                case _:
                    evaluate(expression, {})
    except Miscalled:
        return "wrong number of arguments"
    except (LookupError, TypeError, ValueError, ZeroDivisionError) as error:
        raise Wrong(error) from error
    return None


end(check)
