#!/usr/bin/env python3
"""Runs reducers on cases, one after the other, and writes a line of JSON for each run.

    run.py [--cases DIR] [--tools DIR] [--jobs 2] [--cap 600] [--nice N] [--out results.jsonl] [REDUCER:CASE ...]

Patterns such as `wynot:*` or `*:json-jq` choose; without any, all reducers run on all cases they can handle.
Tests are counted by counter.c between the reducer and the test of the case, so figures mean the same for all.
The results themselves go to a folder beside the output. $WYNOT names another wynot than target/release/wynot.
"""

import argparse
import ctypes
import fnmatch
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True  # no __pycache__ in the checkout
from reducers import REDUCERS, Task  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "target" / "bench"
PATIENCE = ((signal.SIGINT, 10), (signal.SIGTERM, 5), (signal.SIGKILL, 5))  # seconds after each


@dataclass
class Case:
    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def input(self) -> Path:
        return next(self.folder.glob("input.*"))

    @property
    def extension(self) -> str:
        return self.input.suffix[1:]

    def accepts(self, candidate: Path) -> bool:
        test = ["sh", self.folder / "test.sh", candidate]
        return subprocess.run(test, stdin=subprocess.DEVNULL, capture_output=True).returncode == 0


def tool_finder(tools: Path):
    """Finds programs by name: wynot, those that install.sh put into a folder, and those on PATH."""

    def find(name: str) -> str:
        if name == "wynot":
            return os.environ.get("WYNOT", str(ROOT / "target" / "release" / "wynot"))
        installed = [tools / part / "bin" / name for part in ("venv311", "venv312", "cargo")]
        return next((str(path) for path in installed if path.exists()), None) or shutil.which(name) or name

    return find


# Processes. All that a reducer starts, even what it forgets, ends up as a descendant of this process.


def adopt_orphans() -> None:
    PR_SET_CHILD_SUBREAPER = 36
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "cannot adopt orphaned processes")


def start(command: list[str], folder: Path, environment: dict, output) -> int:
    """Starts a reducer in a session of its own, with signals as in a terminal even if this is run by nohup."""

    def prepare():
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(number, signal.SIG_DFL)
        if nice := environment.get("COUNTER_NICE"):
            os.setpriority(os.PRIO_PROCESS, 0, int(nice))
            if os.path.exists("/proc/self/autogroup"):
                with open("/proc/self/autogroup", "w") as session:
                    session.write(nice)

    streams = dict(stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    process = subprocess.Popen(
        command, cwd=folder, env=environment, start_new_session=True, preexec_fn=prepare, **streams
    )
    process.returncode = 0  # it is `wait` below that waits for it
    return process.pid


def wait(process: int, seconds: float) -> int | None:
    """Waits for a child; its exit status, or none if time is over. Buries orphans on the way."""
    deadline = time.monotonic() + seconds
    while True:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == process:
            return os.waitstatus_to_exitcode(status)
        if pid == 0:
            if time.monotonic() > deadline:
                return None
            time.sleep(0.005)


def stop(group: int) -> int | None:
    """Asks a reducer to end, ever more firmly."""
    for number, seconds in PATIENCE:
        os.killpg(group, number)
        status = wait(group, seconds)
        if status is not None:
            return status
    return None


def descendants() -> list[int]:
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):  # it has just ended
            continue
        children.setdefault(parent, []).append(int(path.parent.name))
    found, stack = [], [os.getpid()]
    while stack:
        more = children.get(stack.pop(), [])
        found += more
        stack += more
    return found


def kill_leftovers() -> None:
    while left := descendants():
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.01)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return


def cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


# Measuring.


def read_log(log: Path, began: int) -> dict:
    """Counts, and the curve: [tests begun, seconds, bytes] whenever a smaller interesting candidate was found."""
    sizes: dict[str, int] = {}
    hashes: set[str] = set()
    curve: list[tuple[int, float, int]] = []
    tests = ended = 0
    cpu = duration = 0.0
    for line in log.read_text().splitlines() if log.exists() else []:
        kind, begin, *rest = line.split()
        if kind == "start":
            tests += 1
            sizes[begin] = int(rest[0])
            hashes.add(rest[1])
            continue
        end, status, microseconds = map(int, rest)
        ended += 1
        cpu += microseconds / 1e6
        duration += (end - int(begin)) / 1e9
        if status == 0 and (not curve or sizes[begin] < curve[-1][2]):
            curve.append((tests, round((end - began) / 1e9, 3), sizes[begin]))
    best = dict(zip(("best_test", "best_seconds", "best_bytes"), curve[-1])) if curve else {}
    return {
        "tests": tests,
        "tests_cut_short": tests - ended,
        "tests_repeated": tests - len(hashes),
        "test_ms": round(1000 * duration / max(ended, 1), 2),
        "test_cpu_seconds": round(cpu, 2),
        **best,
        "curve": curve,
    }


def run(name: str, case: Case, options, counter: Path) -> dict:
    """Runs a reducer on a case; the line for it."""
    reducer = REDUCERS[name]
    jobs = options.jobs if reducer.parallel else 1
    call = reducer.call(Task(case.input.name, str(counter), jobs, tool_finder(options.tools)))
    size = case.input.stat().st_size
    record = {"reducer": name, "case": case.name, "jobs": jobs, "cap": options.cap, "input_bytes": size}
    with tempfile.TemporaryDirectory(prefix="wynot-bench-", ignore_cleanup_errors=True) as scratch:
        folder, log, state, messages = (Path(scratch) / part for part in ("work", "log", "state", "messages"))
        temporary = Path(scratch) / "tmp"
        for new in (folder, state, temporary):
            new.mkdir()
        shutil.copy(case.input, folder)
        environment = os.environ | {
            "COUNTER": str(counter),
            "COUNTER_TEST": str(case.folder / "test.sh"),
            "COUNTER_CANDIDATE": case.input.name,
            "COUNTER_LOG": str(log),
            "TMPDIR": str(temporary),
            "XDG_STATE_HOME": str(state),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        if options.nice is not None:
            environment["COUNTER_NICE"] = str(options.nice)
        cpu_before, began = cpu_of_children(), time.monotonic_ns()
        outcome, status = "finished", 0
        with open(messages, "wb") as output:
            for command in call.commands:
                try:
                    process = start(command, folder, environment, output)
                except OSError as error:
                    outcome = f"cannot run {command[0]}: {error.strerror}"
                    break
                status = wait(process, options.cap - (time.monotonic_ns() - began) / 1e9)
                if status is None:
                    outcome, status = "capped", stop(process)
                    break
                if status != 0:
                    outcome = f"exit {status}"
                    break
        wall = (time.monotonic_ns() - began) / 1e9
        kill_leftovers()
        cpu = cpu_of_children() - cpu_before
        figures = read_log(log, began)
        own = cpu - figures["test_cpu_seconds"]
        record |= {
            "outcome": outcome,
            "exit_status": status,
            "wall_seconds": round(wall, 2),
            "cpu_seconds": round(cpu, 2),
            "own_cpu_ms_per_test": round(1000 * own / max(figures["tests"], 1), 2),
            "final_bytes": None,
            **figures,
        }
        result = folder / call.result
        if result.is_file():
            kept = options.out.with_suffix("") / f"{case.name}.{name}.{case.extension}"
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(result, kept)
            record |= {"final_bytes": kept.stat().st_size, "final_fails": case.accepts(result)}
        if outcome not in ("finished", "capped") or figures["tests"] < 3:
            record["messages"] = messages.read_text(errors="replace")[-1000:]
    return record


# The command line.


def choose(patterns: list[str], cases: list[Case]) -> list[tuple[str, Case]]:
    """The pairs that each pattern matches, in the order of the patterns."""
    possible = [
        (name, case) for case in cases for name, reducer in REDUCERS.items() if case.extension in reducer.extensions
    ]
    chosen = []
    for pattern in patterns or ["*"]:
        matching = [pair for pair in possible if fnmatch.fnmatchcase(f"{pair[0]}:{pair[1].name}", pattern)]
        if not matching:
            sys.exit(f"run.py: no reducer and case match {pattern}")
        chosen += matching
    return chosen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, default=BENCH / "cases", help="made by cases.py")
    parser.add_argument("--tools", type=Path, default=BENCH / "tools", help="made by install.sh")
    parser.add_argument("--jobs", type=int, default=2, help="tests at the same time, for reducers that can")
    parser.add_argument("--cap", type=float, default=600, help="seconds after which a reducer is stopped")
    parser.add_argument("--out", type=Path, default=BENCH / "results.jsonl", help="lines are appended to it")
    parser.add_argument("--nice", type=int, help="the reducers' priority, on a machine that has other work to do")
    parser.add_argument("pairs", nargs="*", metavar="REDUCER:CASE")
    options = parser.parse_args()
    options.tools = options.tools.resolve()

    cases = [Case(test.parent) for test in sorted(options.cases.resolve().glob("*/test.sh"))]
    if not cases:
        sys.exit(f"run.py: no cases in {options.cases}; cases.py makes them")
    pairs = choose(options.pairs, cases)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="wynot-bench-") as scratch:
        counter = Path(scratch) / "counter"
        subprocess.run(["cc", "-O2", "-o", counter, Path(__file__).with_name("counter.c")], check=True)
        for name, case in pairs:
            print(f"{name}:{case.name} ...", end=" ", file=sys.stderr, flush=True)
            record = run(name, case, options, counter)
            with open(options.out, "a") as out:
                out.write(json.dumps(record) + "\n")
            summary = "{outcome}: {final_bytes} bytes after {tests} tests in {wall_seconds} s"
            print(summary.format(**record), file=sys.stderr)


if __name__ == "__main__":
    main()
