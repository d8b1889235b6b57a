#!/usr/bin/env python3
"""Reduces crashes of an old rustc that Perses' authors published, and prints tokens and tests beside theirs.

    bench/perses.py CHECKOUT [--rustc RUSTC] [--wynot WYNOT] [--jobs N]

CHECKOUT is a checkout of uw-pluverse/perses. RUSTC is a compiler of October 2020; that of Debian 11 (1.48), with RUSTC_BOOTSTRAP=1, crashes
on five of the six programs. The published figures are those of the paper on Vulcan (OOPSLA 2023): final tokens and queries."""
import argparse, json, os, re, shutil, subprocess, tempfile
from pathlib import Path

PUBLISHED = {  # Perses, C-Reduce, Vulcan
    77910: ("34 (104)", "23 (1,415)", "21 (985)"),
    78325: ("28 (52)", "34 (2,341)", "28 (494)"),
    78651: ("17 (83)", "12 (1,414)", "9 (258)"),
    78655: ("26 (39)", "26 (1,813)", "26 (471)"),
    78652: ("56 (182)", "49 (3,261)", "49 (3,107)"),
    77919: ("74 (297)", "70 (6,190)", "62 (3,807)"),
}
TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\s+|(b?r\#*".*?"\#*|b?"(?:\\.|[^"\\])*"|b?'(?:\\.[^']*|[^'\\])'|'[A-Za-z_]\w*|r\#\w+"""
    r"""|[A-Za-z_]\w*|\d\w*(?:\.\d\w*)?|::|->|=>|\.\.=|\.\.\.|\.\.|<<=|==|!=|<=|&&|\|\||[-+*/%^&|]=|.)""",
    re.S,
)


def tokens(path):
    """The number of tokens of a Rust program, as the paper counts them."""
    text = Path(path).read_text(errors="replace")
    return sum(1 for found in TOKEN.finditer(text) if found.group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--rustc", default="rustc")
    parser.add_argument("--wynot", default="target/release/wynot")
    parser.add_argument("--jobs", default="2")
    options = parser.parse_args()
    compiler = shutil.which(options.rustc)
    wynot = Path(options.wynot).resolve()
    print("| bug | input | Perses | C-Reduce | Vulcan | wynot | bytes |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for bug, published in PUBLISHED.items():
        delta = (options.checkout / f"kitten/reported_bugs/rust/rust-{bug}/delta").resolve()
        if not (delta / "mutant.rs").exists():
            print(f"| {bug} | | {' | '.join(published)} | not in the checkout | |", flush=True)
            continue
        with tempfile.TemporaryDirectory() as scratch:
            tools = Path(scratch) / "tools"
            tools.mkdir()
            (tools / "rustc").symlink_to(compiler)
            source = Path(scratch) / "mutant.rs"
            shutil.copy(delta / "mutant.rs", source)
            test = Path(scratch) / "r.sh"
            shutil.copy(delta / "r.sh", test)
            test.chmod(0o755)
            result = Path(scratch) / "result.rs"
            environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "RUSTC_BOOTSTRAP": "1"}
            command = [wynot, "reduce", "--fresh", "--json", "-q", "-j", options.jobs, "-o", result, source, "--", test]
            run = subprocess.run(command, env=environment, capture_output=True, text=True)
            wynots = "not run: " + run.stderr.strip().split("\n")[-1][:60]
            size = ""
            if run.returncode == 0 and result.exists():
                wynots = f"{tokens(result)} ({json.loads(run.stdout)['tests']['executed']:,})"
                size = f"{result.stat().st_size}"
            print(f"| {bug} | {tokens(source)} | {' | '.join(published)} | {wynots} | {size} |", flush=True)


main()
