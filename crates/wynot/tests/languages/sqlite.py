"""Runs SQL in a new database and knows one message: something refers to what is not there."""

import sqlite3

from reading import Wrong, end


def check(text):
    try:
        sqlite3.connect(":memory:").executescript(text)
    except (sqlite3.Error, ValueError) as error:
        if "FOREIGN KEY" in str(error):
            return error
        raise Wrong(error) from error
    return None


end(check)
