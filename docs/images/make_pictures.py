#!/usr/bin/env python3
"""Makes the pictures of the README: the live view in a terminal, and a report.

Needs tmux, chromium and wynot (the first argument, or the one on the PATH). Run it from anywhere.
"""

import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"
WYNOT = str(Path(sys.argv[1]).resolve()) if len(sys.argv) > 1 else shutil.which("wynot")
COLUMNS, ROWS = 84, 22
CELL_WIDTH, LINE_HEIGHT = 8.4, 18


def capture(directory):
    """The terminal in the middle of a search, with its colours."""
    environment = dict(os.environ, XDG_STATE_HOME=f"{directory}/state", LC_ALL="C.UTF-8")
    test = Path(directory, "check.sh")
    test.write_text("#!/bin/sh\nsleep 0.2\ncc -fsyntax-only \"$1\"\n")
    test.chmod(0o755)
    shutil.copy(EXAMPLES / "inventory.c", directory)
    tmux = ["tmux", "-L", f"wynot{os.getpid()}"]
    command = f"cd {directory} && {WYNOT} reduce inventory.c -- ./check.sh {{}}; sleep 60"
    subprocess.run(
        [*tmux, "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), command],
        env=environment, check=True)
    time.sleep(2.6)
    shown = subprocess.run([*tmux, "capture-pane", "-p", "-e"], capture_output=True, text=True, check=True)
    subprocess.run([*tmux, "kill-server"], check=False)
    return shown.stdout.rstrip("\n").split("\n")


def svg(lines):
    """The lines of a terminal as a picture; grey is the only colour that the view has."""
    command = "$ wynot reduce inventory.c -- ./check.sh {}"
    lines = [command, *lines]
    width, height = int(COLUMNS * CELL_WIDTH) + 32, len(lines) * LINE_HEIGHT + 44
    rows = []
    for number, line in enumerate(lines):
        grey = "\x1b[90m" in line
        text = html.escape(re.sub(r"\x1b\[[0-9;]*m", "", line))
        fill = "#8b949e" if grey else "#e6edf3"
        y = 44 + number * LINE_HEIGHT
        rows.append(f'<text x="16" y="{y}" fill="{fill}" xml:space="preserve">{text}</text>')
    dots = "".join(
        f'<circle cx="{18 + 18 * i}" cy="16" r="5.5" fill="{colour}"/>'
        for i, colour in enumerate(["#ff5f57", "#febc2e", "#28c840"]))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="14">\n'
        f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>\n{dots}\n' + "\n".join(rows) + "\n</svg>\n")


def screenshot(directory):
    """The upper part of a report."""
    environment = dict(os.environ, XDG_STATE_HOME=f"{directory}/report-state", LC_ALL="C.UTF-8")
    invoice = Path(directory, "invoice")
    shutil.copytree(EXAMPLES / "invoice", invoice)
    subprocess.run(
        [WYNOT, "reduce", "-q", "--report", "report.html", "orders.json", "--", "./invoice.py", "{}"],
        cwd=invoice, env=environment, check=True, stdout=subprocess.DEVNULL)
    chromium = next(filter(None, map(shutil.which, ["chromium", "chromium-headless-shell", "google-chrome"])))
    subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1000,1250",
         f"--screenshot={HERE / 'report.png'}", f"file://{invoice / 'report.html'}"],
        check=True, stderr=subprocess.DEVNULL)


with tempfile.TemporaryDirectory() as directory:
    (HERE / "live-view.svg").write_text(svg(capture(directory)))
    screenshot(directory)
