"""Reads a formula in DIMACS, and knows one message: nothing satisfies it."""

from reading import Wrong, end


def read(text):
    lines = [line.split() for line in text.splitlines() if line.strip() and line[0] != "c"]
    if not lines:
        return []
    header, *rest = lines
    try:
        start, name, variables, count = header
        numbers = [int(word) for line in rest for word in line]
        wanted = int(variables), int(count)
    except ValueError as error:
        raise Wrong(error) from error
    if (start, name) != ("p", "cnf") or numbers[-1:] not in ([], [0]):
        raise Wrong("it does not begin or end as it should")
    clauses = [[]]
    for number in numbers:
        if number:
            clauses[-1].append(number)
        else:
            clauses.append([])
    clauses.pop()
    if max([0, *map(abs, numbers)]) > wanted[0] or len(clauses) != wanted[1]:
        raise Wrong("the header counts something else")
    if [] in clauses:
        raise Wrong("an empty clause")
    return clauses


def satisfiable(clauses):
    if not clauses:
        return True
    shortest = min(clauses, key=len)
    return bool(shortest) and any(
        satisfiable([[other for other in c if other != -choice] for c in clauses if choice not in c])
        for choice in (shortest[0], -shortest[0])
    )


def check(text):
    return None if satisfiable(read(text)) else "nothing satisfies this"


end(check)
