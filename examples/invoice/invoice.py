#!/usr/bin/env python3
"""Prints the invoices of a file of orders."""

import json
import sys


def discount(order):
    pieces = sum(item["count"] for item in order["items"])
    return order.get("rebate", 0) // pieces


def total(order):
    return sum(item["cents"] * item["count"] for item in order["items"]) - discount(order)


for order in json.load(open(sys.argv[1])):
    print(order["customer"], total(order))
