#!/usr/bin/env python3
"""A program under test for Lithium's built-in conditions:
prints a message and dies of SIGABRT when the file has the line 13."""
import os
import sys

if "13\n" in open(sys.argv[-1]).readlines():
    print("assertion failed: unlucky 13", flush=True)
    os.abort()
