"""Reads SVG and knows one message: something is drawn inside itself."""

import pyexpat

from reading import Wrong, end


def check(text):
    around, found = [], []

    def start(name, attributes):
        if name == "use" and attributes.get("href", "")[1:] in around:
            found.append(attributes["href"])
        around.append(attributes.get("id"))

    parser = pyexpat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: around.pop()
    try:
        parser.Parse(text, True)
    except pyexpat.ExpatError as error:
        raise Wrong(error) from error
    return found and f"{found[0]} uses itself"


end(check)
