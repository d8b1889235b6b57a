#!/usr/bin/env python3
"""Runs the tests that are given, in this order, in one process. One of them leaves something behind."""

import sys

rate = 19
seen = []


def test_rate():
    assert rate == 19


def test_reduced_rate():
    global rate
    rate = 7
    assert round(100 * rate / 100) == 7


def test_names():
    seen.append("Ada")
    assert len(seen) >= 1


def test_empty():
    assert sum([]) == 0


def test_total():
    assert round(100 * (100 + rate) / 100) == 119, f"the total is wrong with a rate of {rate}"


for name in sys.argv[1:]:
    globals()[name]()
