"""Lithium convention: a module with interesting(args, prefix); args are the words after the
module's name on the command line, the file's name last. init and cleanup are optional.
Interesting: the product of the numbers in the file is divisible by args[0]."""
import pathlib

import divides_helper  # lies beside this module

state = {}


def init(args):
    state["mod"] = int(args[0])
    state["calls"] = 0


def interesting(args, prefix):
    state["calls"] += 1
    text = pathlib.Path(args[-1]).read_text()
    product = divides_helper.product(text)
    pathlib.Path(prefix + "-product.txt").write_text(f"{product}\n")
    return product % state["mod"] == 0


def cleanup(args):
    print("cleanup after", state["calls"], "calls, modulus", args[0])
