"""How each reducer is called. To add one, write a function and name it in REDUCERS."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
C_FAMILY = {"c"}
EVERYTHING = {"c", "rs", "py", "sql", "smt2", "json", "html", "bin"}
TEXT = EVERYTHING - {"bin"}


@dataclass(frozen=True)
class Task:
    """What a reducer is given: a file of this name in its current directory, and a program that tests candidates."""

    input: str
    test: str
    jobs: int
    tool: Callable[[str], str]  # the path of an installed program

    @property
    def extension(self) -> str:
        return self.input.rpartition(".")[2]


@dataclass(frozen=True)
class Call:
    """Commands to run one after the other, and the file that then holds the result."""

    commands: list[list[str]]
    result: str


@dataclass(frozen=True)
class Reducer:
    call: Callable[[Task], Call]
    extensions: Collection[str] = frozenset(EVERYTHING)
    parallel: bool = True


def wynot(task: Task) -> Call:
    output = f"out.{task.extension}"
    options = ["-q", "-j", str(task.jobs), "--fresh", "-o", output]
    return Call([[task.tool("wynot"), "reduce", *options, task.input, "--", task.test, "{}"]], output)


def shrinkray(task: Task) -> Call:
    display = ["--ui", "basic", "--volume", "quiet", "--formatter", "none", "--no-history"]
    options = ["--parallelism", str(task.jobs), "--no-llm", "--input-type", "basename", *display]
    return Call([[task.tool("shrinkray"), *options, task.test, task.input]], task.input)


def cvise(task: Task) -> Call:
    language = [] if task.extension in C_FAMILY else ["--not-c"]
    return Call([[task.tool("cvise"), "--n", str(task.jobs), "--tidy", *language, task.test, task.input]], task.input)


def creduce(task: Task) -> Call:
    language = [] if task.extension in C_FAMILY else ["--not-c"]
    return Call([[task.tool("creduce"), "--n", str(task.jobs), "--tidy", *language, task.test, task.input]], task.input)


def treereduce(task: Task) -> Call:
    program = task.tool({"c": "treereduce-c", "rs": "treereduce-rust"}[task.extension])
    output = f"out.{task.extension}"
    options = ["--quiet", "--stable", "--jobs", str(task.jobs), "--source", task.input, "--output", output]
    return Call([[program, *options, "--", task.test, f"@@.{task.extension}"]], output)


def ddsmt(task: Task) -> Call:
    options = ["-q", "-j", str(task.jobs), "--timeout", "10", "--ignore-output"]
    return Call([[task.tool("ddsmt"), *options, task.input, "out.smt2", task.test]], "out.smt2")


def picire(task: Task) -> Call:
    options = ["--parallel", "--jobs", str(task.jobs), "--atom", "both", "--cache", "content", "--out", "out"]
    return Call([[task.tool("picire"), *options, "--input", task.input, "--test", task.test]], f"out/{task.input}")


def lithium(task: Task) -> Call:
    """Lines first, then characters."""
    condition = str(HERE / "lithium_condition.py")
    commands = [["mkdir", "lines", "char"]]
    for unit in ("lines", "char"):
        commands.append([task.tool("lithium"), f"--{unit}", "--tempdir", unit, condition, task.input])
    return Call(commands, task.input)


def delta(task: Task) -> Call:
    output = f"out.{task.extension}"
    options = ["-quiet", f"-test={task.test}", f"-suffix=.{task.extension}", f"-cp_minimal={output}"]
    return Call([[task.tool("singledelta"), *options, task.input]], output)


REDUCERS = {
    "wynot": Reducer(wynot),
    "shrinkray": Reducer(shrinkray),
    "cvise": Reducer(cvise, TEXT),
    "creduce": Reducer(creduce, C_FAMILY),
    "treereduce": Reducer(treereduce, {"c", "rs"}),
    "ddsmt": Reducer(ddsmt, {"smt2"}),
    "picire": Reducer(picire, TEXT),
    "lithium": Reducer(lithium, parallel=False),
    "delta": Reducer(delta, TEXT, parallel=False),
}
