#!/usr/bin/env python3
"""Prints tables in Markdown of what run.py measured.

    table.py [results.jsonl]

The last run of each reducer on each case counts. The size a reducer reached is that of the smallest candidate it
tested that still fails, even if it then left another file, or none because it was stopped.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[2] / "target" / "bench" / "results.jsonl"


def markdown(header: list[str], rows: Iterable[list]) -> str:
    """A table; columns whose header starts with > are aligned to the right."""
    names = [name.lstrip(">") for name in header]
    rule = ["---:" if name.startswith(">") else "---" for name in header]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [names, rule, *rows])


def number(value: float | None) -> str:
    """With thousands separated; fractions only where they tell something."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if value == int(value) or value >= 100 else f"{value:.2g}" if value < 1 else f"{value:.1f}"


def reached(run: dict, size: int) -> tuple[int, float] | None:
    """Tests and seconds until a run first saw a failing candidate of at most this size."""
    return next(((tests, seconds) for tests, seconds, bytes in run["curve"] if bytes <= size), None)


def compare(runs: list[dict]) -> str:
    """Per case, the best of the others beside wynot."""
    rows = []
    for case in cases(runs):
        others = [run for run in runs if run["case"] == case and run["reducer"] != "wynot" and run["curve"]]
        ours = next((run for run in runs if run["case"] == case and run["reducer"] == "wynot"), None)
        if not others or not ours:
            continue
        best = min(others, key=lambda run: (run["best_bytes"], run["best_seconds"]))
        same = reached(ours, best["best_bytes"])
        tests, seconds = same or (None, None)
        rows.append(
            [case, number(ours["input_bytes"]), best["reducer"]]
            + [number(best[key]) for key in ("best_bytes", "best_test", "best_seconds")]
            + ["not reached" if same is None else number(tests), number(seconds)]
            + [f"{best['best_seconds'] / seconds:.1f} ×" if seconds else "–"]
            + [number(ours[key]) for key in ("final_bytes", "tests", "wall_seconds")]
            + [f"{best['wall_seconds'] / ours['wall_seconds']:.1f} ×"]
        )
    best_of = [">input", "best other", ">its bytes", ">tests", ">s"]
    ours = [">wynot: tests to the same", ">s", ">faster", ">wynot: final bytes", ">tests in all", ">s in all"]
    return markdown(["case", *best_of, *ours, ">faster in all"], rows)


def everything(runs: list[dict]) -> str:
    rows = []
    for case in cases(runs):
        chosen = [run for run in runs if run["case"] == case]
        for run in sorted(chosen, key=lambda run: (run.get("best_bytes", run["input_bytes"]), run["wall_seconds"])):
            final = "none" if run["final_bytes"] is None else number(run["final_bytes"])
            if run.get("final_fails") is False:
                final += " (passes)"
            figures = [run.get(key) for key in ("best_bytes", "best_test", "best_seconds", "tests", "tests_repeated")]
            figures += [run["wall_seconds"], run["test_ms"], run["own_cpu_ms_per_test"]]
            rows.append([case, run["reducer"], run["jobs"], run["outcome"], final, *map(number, figures)])
    reach = [">reached", ">at test", ">at s"]
    cost = [">tests", ">repeated", ">s", ">ms per test", ">own CPU ms per test"]
    return markdown(["case", "reducer", ">jobs", "end", ">final bytes", *reach, *cost], rows)


def cases(runs: list[dict]) -> list[str]:
    return sorted({run["case"] for run in runs})


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else RESULTS
    records = map(json.loads, path.read_text().splitlines())
    runs = list({(run["reducer"], run["case"]): run for run in records}.values())
    print("## wynot and the best other reducer\n")
    print(compare(runs))
    print("\n## All runs\n")
    print(everything(runs))


if __name__ == "__main__":
    main()
