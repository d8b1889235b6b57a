"""Reads the expressions of Lisp and SMT-LIB: nested lists of words."""

from reading import Wrong


def read(text):
    """All lists and words of a text."""
    top = here = []
    around = []
    for word in words(text):
        if word == "(":
            around.append(here)
            here = []
            around[-1].append(here)
        elif word == ")":
            if not around:
                raise Wrong("a parenthesis too many")
            here = around.pop()
        else:
            here.append(word)
    if around:
        raise Wrong("a parenthesis does not close")
    return top


def words(text):
    at = 0
    while at < len(text):
        start, c = at, text[at]
        at += 1
        if c == ";":
            at = text.find("\n", at) % (len(text) + 1)
        elif c == '"':
            at = text.find('"', at) + 1
            if not at:
                raise Wrong("a string does not end")
            yield text[start:at]
        elif c in "()":
            yield c
        elif not c.isspace():
            while at < len(text) and not text[at].isspace() and text[at] not in '();"':
                at += 1
            yield text[start:at]
