"""Counts and times calls of functions, and prints a table of them."""

import functools
import time

REGISTRY = {}


class Metric:
    def __init__(self, name, unit=""):
        self.name = name
        self.unit = unit
        self.values = []

    def add(self, value):
        self.values.append(value)

    def mean(self):
        if not self.values:
            return 0.0
        return sum(self.values) / len(self.values)

    def __str__(self):
        return f"{self.name}: {self.mean():.3f} {self.unit}".strip()


def metric(name, unit=""):
    if name not in REGISTRY:
        REGISTRY[name] = Metric(name, unit)
    return REGISTRY[name]


def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **keywords):
        start = time.perf_counter()
        try:
            return function(*args, **keywords)
        finally:
            metric(function.__name__, "s").add(time.perf_counter() - start)

    return wrapper


def limited(most):
    """At most so many calls."""
    calls = 0

    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **keywords):
            if calls >= most:
                raise RuntimeError(f"more than {most} calls")
            calls += 1
            return function(*args, **keywords)

        return wrapper

    return decorate


@timed
def primes(limit):
    found = []
    for number in range(2, limit):
        if all(number % prime for prime in found):
            found.append(number)
    return found


@timed
@limited(most=3)
def words(text):
    counts = {}
    for word in text.lower().split():
        counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def main():
    print(len(primes(50)), "primes")
    for word, count in words("the cat and the hat and the bat"):
        print(f"{count:3} {word}")
    for name in sorted(REGISTRY):
        print(REGISTRY[name])


if __name__ == "__main__":
    main()
