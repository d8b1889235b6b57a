#!/usr/bin/env python3
"""Shrink Ray convention: the candidate's path is the argument.
Interesting: Python's configparser finds a duplicate option in a section."""
import configparser
import os
import sys

path = sys.argv[1]
assert os.path.basename(path) == "config.ini"  # the name of the input is kept
try:
    configparser.ConfigParser().read(path)
except configparser.DuplicateOptionError as e:
    sys.exit(0 if e.option == "red" else 1)
except (configparser.Error, UnicodeDecodeError):
    sys.exit(1)
sys.exit(1)
