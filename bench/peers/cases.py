#!/usr/bin/env python3
"""Makes the cases that reducers are compared on.

    cases.py [DIR]        DIR gets one folder per case (default: target/bench/cases)

A folder holds the input (`input.EXT`), a test (`sh test.sh FILE` exits 0 if FILE is interesting) and what is to be
kept, in words (`property.txt`). Inputs are generated with a fixed seed, or are real sources: of a crate, of Python's
library, of a C file with the system's headers. The latter vary with the versions on the machine.
"""

import json
import random
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from glob import glob
from os import environ
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SEED = 20240607
WORDS = "alpha beta gamma delta omega sigma kappa zeta theta iota lambda mu".split()


@dataclass
class Case:
    input: str
    content: bytes
    keeps: str
    test: str  # a shell script; $1 is the candidate
    files: dict[str, str] = field(default_factory=dict)  # that the test uses, by name

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / self.input).write_bytes(self.content)
        (folder / "property.txt").write_text(self.keeps + "\n")
        for name, text in self.files.items():
            (folder / name).write_text(text)
        test = folder / "test.sh"
        test.write_text(f"#!/bin/sh\n# Exits 0 if: {self.keeps}\n{self.test}")
        test.chmod(0o755)


def words(draw: random.Random, count: int) -> list[str]:
    return [draw.choice(WORDS) for _ in range(count)]


def html_select(draw: random.Random) -> Case:
    """A bug tracker's query page; Mozilla once crashed when it printed a <SELECT>."""
    lines = []
    for _ in range(290):
        colour, bug, title = draw.randrange(1 << 24), draw.randrange(90000), " ".join(words(draw, 2))
        lines.append(f'<tr bgcolor="#{colour:06x}"><td align=left valign=top>')
        lines.append(f'<a href="show_bug.cgi?id={bug}">{title}</a></td>')
        lines.append(f'<td><font size=-1>{" ".join(words(draw, 8))}</font></td></tr>')
    options = "\n".join(f'<OPTION VALUE="{word}">{word}' for word in WORDS)
    middle = 215 * 3  # after this many rows of three lines
    lines[middle:middle] = [
        "<td align=left valign=top>",
        '<SELECT NAME="op sys" MULTIPLE SIZE=7>',
        options + "</SELECT>",
        "</td>",
        "",
    ]
    head = ["<html>", "<head><title>Query</title></head>", "<body>", "<form action=query.cgi>", "<table>"]
    tail = ["</table>", "</form>", "</body>", "</html>", ""]
    return Case(
        input="input.html",
        content="\n".join(head + lines + tail).encode(),
        keeps="the file has a whole <SELECT ...> tag",
        test="LC_ALL=C exec grep -q '<SELECT[^>]*>' \"$1\"\n",
    )


def fuzz_516(draw: random.Random) -> Case:
    """Fuzz for a program whose buffer overflows at 516 printable characters without a break."""

    def printable(count: int) -> bytes:
        return bytes(draw.randrange(ord(" "), ord("~") + 1) for _ in range(count))

    content = bytearray()
    while len(content) < 200_000:
        content += printable(draw.randrange(3, 90))
        content.append(draw.choice([ord("\n"), 0, 255, ord("\t")]))
        if 120_000 < len(content) < 120_090:
            content += printable(700) + b"\n"
    return Case(
        input="input.bin",
        content=bytes(content),
        keeps="516 printable characters follow each other",
        test="LC_ALL=C exec grep -aqE '[ -~]{516}' \"$1\"\n",
    )


def json_jq(draw: random.Random) -> Case:
    """A megabyte of JSON in which one event is the culprit."""

    def event(culprit: bool) -> dict:
        return {
            "t": draw.randrange(10**9),
            "kind": draw.choice(["get", "put", "del"]),
            "status": 503 if culprit else draw.choice([200, 201, 204, 301, 404]),
            "tags": words(draw, draw.randrange(3)) + ["retry", "quota"] * culprit,
        }

    def record(number: int, bad: bool) -> dict:
        return {
            "id": number,
            "user": {
                "name": f"{draw.choice(WORDS)}{number}",
                "mail": f"u{number}@example.org",
                "roles": words(draw, draw.randrange(4)),
            },
            "events": [event(bad and place == 3) for place in range(draw.randrange(4, 9))],
            "note": " ".join(words(draw, 12)),
            "geo": [draw.random(), draw.random()],
            "ok": draw.random() < 0.5,
        }

    shards = [
        {"shard": shard, "records": [record(shard * 400 + i, (shard, i) == (5, 87)) for i in range(120)]}
        for shard in range(8)
    ]
    return Case(
        input="input.json",
        content=json.dumps({"version": 3, "shards": shards}, indent=1).encode(),
        keeps="jq finds an object with a status of 500 or more and with both of the tags retry and quota",
        test="""\
found=$(jq 'any(.. | objects;
    (.status | type == "number" and . >= 500) and
    (.tags | type == "array" and index("retry") and index("quota")))' "$1")
[ "$found" = true ]
""",
    )


def crate(name: str) -> Path:
    """The folder of a crate in cargo's registry."""
    home = environ.get("CARGO_HOME", Path.home() / ".cargo")
    for folder in glob(f"{home}/registry/src/*/{name}"):
        return Path(folder)
    sys.exit(f"cases.py: {name} is not in cargo's registry; install.sh puts it there")


def c_gcc(_: random.Random) -> Case:
    """A C file of tree-sitter after preprocessing; a stand-in for a miscompiled function."""
    source = crate("tree-sitter-0.27.1") / "src"
    flags = ["-std=c11", "-D_POSIX_C_SOURCE=200112L", "-D_DEFAULT_SOURCE"]
    folders = [f"-I{folder}" for folder in (source, source.parent / "include", source / "wasm")]
    preprocess = ["gcc", "-E", "-P", *flags, *folders, source / "subtree.c"]
    return Case(
        input="input.c",
        content=subprocess.run(preprocess, check=True, capture_output=True).stdout,
        keeps="gcc -O1 accepts it and some function multiplies (imull) and calls ts_current_malloc or _realloc",
        test="""\
assembly=$(gcc -x c -std=gnu11 -w -O1 -S -o - "$1") || exit 1
printf '%s\\n' "$assembly" | awk '
    /^[A-Za-z_][A-Za-z0-9_.]*:/ { calls = multiplies = 0 } # a function begins
    /call.*ts_current_(malloc|realloc)/ { calls = 1 }
    /\\timull\\t/ { multiplies = 1 }
    calls && multiplies { found = 1 }
    END { exit !found }'
""",
    )


def py_ast(_: random.Random) -> Case:
    """Python's argparse; a stand-in for a tool that fails on certain nestings."""
    python = shutil.which("python3.11") or sys.exit("cases.py: Python 3.11 is needed")
    ask = "import argparse, sys; print(sys.executable, argparse.__file__, sep='\\n')"
    interpreter, argparse = subprocess.check_output([python, "-c", ask], text=True).splitlines()
    return Case(
        input="input.py",
        content=Path(argparse).read_bytes(),
        keeps="it compiles, and has both nestings: class, def, def, loop, if, assignment; def, try, except, raise",
        test=f'exec {interpreter} -I -S "${{0%/*}}/nestings.py" "$1"\n',
        files={
            "nestings.py": """\
import ast
import sys


def nested(node, kinds):
    \"\"\"Does a way down from the node meet these kinds in this order?\"\"\"
    for child in ast.iter_child_nodes(node):
        rest = kinds[1:] if isinstance(child, kinds[0]) else kinds
        if not rest or nested(child, rest):
            return True
    return False


with open(sys.argv[1], encoding="utf-8") as file:
    tree = ast.parse(file.read())
compile(tree, "candidate", "exec")
loop = (ast.For, ast.While)
one = nested(tree, [ast.ClassDef, ast.FunctionDef, ast.FunctionDef, loop, ast.If, ast.Assign])
other = nested(tree, [ast.FunctionDef, ast.Try, ast.ExceptHandler, ast.Raise])
sys.exit(0 if one and other else 1)
"""
        },
    )


def rust_e0502(_: random.Random) -> Case:
    """The smallvec crate with a method that the borrow checker rejects."""
    source = (crate("smallvec-1.16.4") / "src" / "lib.rs").read_text()
    source = source.replace("//! ", "// ").replace("//!", "//")
    method = """\
impl<A: Array> SmallVec<A> where A::Item: Clone {
    /// Duplicates the first item at the end while it is still borrowed.
    pub fn dup_first(&mut self) {
        let first = self.first().unwrap();
        self.push(first.clone());
        let n = self.len();
        let again = &self[0];
        self.truncate(n - 1);
        drop(again.clone());
    }
}

"""
    before = source.index("impl<A: Array> SmallVec<A> {")
    return Case(
        input="input.rs",
        content=(source[:before] + method + source[before:]).encode(),
        keeps="rustc reports E0502 and no other error",
        test="""\
out=$(mktemp -d)
errors=$(rustc --edition 2021 --crate-type lib --emit metadata --out-dir "$out" -A warnings "$1" 2>&1 | grep '^error')
rm -r "$out"
case $errors in
*'error[E0502]'*) ! printf '%s\\n' "$errors" | grep -qv -e E0502 -e aborting ;;
*) false ;;
esac
""",
    )


def sql_sqlite(draw: random.Random) -> Case:
    """A script for sqlite3 of 1,800 statements; two rows that clash are far apart."""
    tables = ["users", "orders", "items", "stock", "audit", "tags"]
    script = []
    for table in tables:
        reference = "" if table == "users" else " REFERENCES users(id)"
        columns = [
            "id INTEGER PRIMARY KEY",
            "name TEXT NOT NULL",
            f"ref INTEGER{reference}",
            "amount REAL DEFAULT 0",
            "UNIQUE (name, ref)",
        ]
        script.append(f"CREATE TABLE {table} (\n  " + ",\n  ".join(columns) + "\n);")
    for number in range(1800):
        table, kind = draw.choice(tables), draw.random()
        if kind < 0.75:
            name, amount = f"{draw.choice(WORDS)}{number}", draw.random() * 100
            script.append(f"INSERT INTO {table} (id, name, ref, amount) VALUES ({number}, '{name}', 1, {amount:.2f});")
        elif kind < 0.9:
            more, name = draw.randrange(9), draw.choice(WORDS)
            script.append(f"UPDATE {table} SET amount = amount + {more} WHERE ref = 1 AND name LIKE '{name}%';")
        else:
            join = f"{table} a JOIN users b ON a.ref = b.id WHERE a.amount > {draw.randrange(90)}"
            script.append(f"SELECT count(*), sum(a.amount) FROM {join};")
    clash = "INSERT INTO orders (id, name, ref, amount) VALUES ({}, 'dupe', 77, {});"
    script.insert(700, clash.format(900001, 1.5))
    script.insert(1500, clash.format(900002, 2.5))
    trigger = [
        "CREATE TRIGGER chk AFTER INSERT ON orders BEGIN",
        "  UPDATE stock SET amount = amount - 1 WHERE id = new.id;",
        "  INSERT INTO audit (name, ref) VALUES ('o', new.id);",
        "END;",
    ]
    script.insert(1000, "\n".join(trigger))
    return Case(
        input="input.sql",
        content="".join(statement + "\n" for statement in script).encode(),
        keeps="sqlite3 reports 'UNIQUE constraint failed: orders.name, orders.ref' and no error of another kind",
        test="""\
errors=$(timeout 5 sqlite3 :memory: < "$1" 2>&1 > /dev/null | grep -i -e error -e failed)
case $errors in
*'UNIQUE constraint failed: orders.name, orders.ref'*)
    ! printf '%s\\n' "$errors" | grep -qv 'orders\\.name, orders\\.ref' ;;
*) false ;;
esac
""",
    )


def smt_z3(draw: random.Random) -> Case:
    """400 satisfiable constraints over integers, and six among them that contradict each other."""
    script = ["(set-logic QF_LIA)"]
    script += [f"(declare-fun x{i} () Int)" for i in range(60)]
    for i in range(400):
        a, b, c = (f"x{number}" for number in draw.sample(range(50), 3))
        bound, value = draw.randrange(1000), draw.randrange(50)
        either = f"(<= t{i} (+ {c} {bound}))"
        other = f"(and (> {a} (- 5)) (not (= {b} {value})))"
        script.append(f"(assert (let ((t{i} (+ {a} (* 2 {b})))) (or {either} {other})))")
    contradiction = [
        "(>= (+ x50 x51) (+ x52 7))",
        "(and (<= x50 (- x52 x53)) (or (> x53 x54) (= x53 (+ x54 1))))",
        "(let ((k (ite (> x54 2) x54 3))) (<= (+ x51 2) k))",
        "(=> (< x54 9) (<= x54 3))",
        "(< x54 8)",
        "(and (>= x53 1) (<= x52 (+ x53 100)))",
    ]
    for place, formula in enumerate(contradiction):
        script.insert(80 + 61 * place, f"(assert {formula})")
    script.append("(check-sat)")
    return Case(
        input="input.smt2",
        content="".join(line + "\n" for line in script).encode(),
        keeps="z3 answers unsat, and nothing else",
        test="""\
answer=$(timeout 5 z3 -T:4 "$1" 2>&1)
[ "$answer" = unsat ]
""",
    )


# All draw from one generator, so the order matters.
CASES = [html_select, fuzz_516, json_jq, c_gcc, py_ast, rust_e0502, sql_sqlite, smt_z3]


def main() -> None:
    cases = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "target" / "bench" / "cases"
    draw = random.Random(SEED)
    for make in CASES:
        case = make(draw)
        folder = cases / make.__name__.replace("_", "-")
        case.write(folder)
        test = ["sh", folder.resolve() / "test.sh", folder / case.input]
        interesting = subprocess.run(test, capture_output=True).returncode == 0
        print(f"{folder.name}: {len(case.content):,} bytes", "" if interesting else ", but its test rejects it", sep="")


if __name__ == "__main__":
    main()
