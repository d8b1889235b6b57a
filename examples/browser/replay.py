#!/usr/bin/env python3
"""Replays recorded user actions on a page, in a real browser without a window.

    replay.py PAGE ACTIONS

ACTIONS is a JSON array of objects; each has one of
    "click": "SELECTOR" or [X, Y]    "key": "Delete"    "type": "text"    "scroll": [DX, DY]
and perhaps "at", the seconds at which it was recorded. What cannot be clicked is left out, as a hand
would click beside it. Exit code 0: the page went along; 1: it threw an error that nothing caught, which
is printed; 125: nothing can be said (no such actions, no browser).

The browser is Chromium, spoken to over a pipe in the DevTools protocol; it is looked for in CHROME and
then in PATH. Nothing but Python's own library is needed.
"""

import ctypes
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from urllib.parse import quote

# The headless shell is the same browser without what a window needs; it starts in a third of the time.
BROWSERS = ["chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser",
            "google-chrome", "google-chrome-stable", "chrome"]
KINDS = ["click", "key", "type", "scroll"]
KEYS = {"Enter": 13, "Escape": 27, "Tab": 9, "Backspace": 8, "Delete": 46, "Home": 36, "End": 35,
        "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39, "/": 191}
FLAGS = ["--headless", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check",
         "--disable-gpu", "--disable-extensions", "--disable-background-networking", "--disable-sync",
         "--disable-component-update", "--disable-default-apps", "--disable-dev-shm-usage",
         "--disable-breakpad", "--disable-crash-reporter",
         "--disable-features=Translate,MediaRouter,OptimizationHints",
         "--no-proxy-server", "--host-resolver-rules=MAP * ~NOTFOUND", "--password-store=basic",
         "--mute-audio", "--disable-smooth-scrolling", "--in-process-gpu", "--window-size=800,600"]
PR_SET_CHILD_SUBREAPER = 36
LIMIT = 20  # seconds for a whole replay


class Unclear(Exception):
    """Nothing can be said about the page."""


def read_actions(path):
    """The actions of a file, all of them checked before a browser starts."""
    try:
        with open(path, encoding="utf-8") as file:
            actions = json.load(file)
    except (OSError, ValueError, RecursionError) as error:
        raise Unclear(f"{path}: {error}") from error
    if not isinstance(actions, list):
        raise Unclear(f"{path}: a list of actions is needed")
    for number, action in enumerate(actions, 1):
        if not is_action(action):
            raise Unclear(f"{path}: number {number} is no action: {json.dumps(action)}")
    return actions


def is_action(action):
    if not isinstance(action, dict):
        return False
    kinds = [name for name in action if name != "at"]
    if len(kinds) != 1 or kinds[0] not in KINDS:
        return False
    value = action[kinds[0]]
    is_place = (isinstance(value, list) and len(value) == 2
                and all(isinstance(part, (int, float)) for part in value))
    match kinds[0]:
        case "click":
            return is_place or isinstance(value, str) and value != ""
        case "key":
            return value in KEYS if isinstance(value, str) else False
        case "type":
            return isinstance(value, str)
        case _:
            return is_place


def find_browser():
    named = os.environ.get("CHROME")
    found = next(filter(None, map(shutil.which, [named] if named else BROWSERS)), None)
    if found is None:
        raise Unclear(f"{named} cannot be run: CHROME must name a Chromium or Chrome" if named else
                      "no browser found: install chromium, or say in CHROME where one is")
    return found


def adopt_orphans():
    """Lets this process be the parent of whatever the browser leaves behind (Linux only)."""
    try:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (AttributeError, OSError):
        pass


class Browser:
    """A browser with a profile of its own; nothing of it is left behind."""

    def __init__(self, program, page):
        adopt_orphans()
        self.deadline = time.monotonic() + LIMIT
        self.profile = tempfile.mkdtemp(prefix="replay-")
        self.number = 0
        self.session = None
        self.answers = {}
        self.error = None
        self.pending = b""
        # The browser reads commands from descriptor 3 and writes to 4.
        commands, self.to_browser = os.pipe()
        self.from_browser, answers = os.pipe()
        commands, answers = (fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (commands, answers))

        def connect():
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        flags = FLAGS + [f"--user-data-dir={self.profile}"]
        if os.geteuid() == 0:
            flags += ["--no-sandbox", "--no-zygote"]
        try:
            # In a group of its own, so that all of it can be ended at once.
            self.process = subprocess.Popen(
                [program, *flags, "file://" + quote(os.path.abspath(page))], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=connect,
                close_fds=False, start_new_session=True)
        except OSError as error:
            shutil.rmtree(self.profile, ignore_errors=True)
            raise Unclear(f"{program} could not be started: {error}") from error
        os.close(commands)
        os.close(answers)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # Its work is done and its profile is thrown away: no need to let it close in order.
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)
        # Those that it had started are ours now. None must write to the profile any more.
        until = time.monotonic() + 2
        try:
            while time.monotonic() < until:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    time.sleep(0.002)
        except ChildProcessError:
            pass
        shutil.rmtree(self.profile, ignore_errors=True)

    def send(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        try:
            while data:
                data = data[os.write(self.to_browser, data):]
        except BrokenPipeError as error:
            raise Unclear("the browser has ended") from error
        return self.number

    def receive(self):
        """Takes in what the browser says next."""
        left = self.deadline - time.monotonic()
        if left <= 0 or not select.select([self.from_browser], [], [], left)[0]:
            raise Unclear(f"the browser did not answer within {LIMIT} s")
        data = os.read(self.from_browser, 1 << 20)
        if not data:
            raise Unclear("the browser could not start, or has ended")
        *messages, self.pending = (self.pending + data).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self.answers[message["id"]] = message
            elif message["method"] == "Runtime.exceptionThrown" and self.error is None:
                details = message["params"]["exceptionDetails"]
                thrown = details.get("exception", {})
                self.error = thrown.get("description", details["text"])

    def answer(self, number):
        while number not in self.answers:
            self.receive()
        answer = self.answers.pop(number)
        if "error" in answer:
            raise Unclear(f"the browser refused: {answer['error']['message']}")
        return answer["result"]

    def call(self, method, **params):
        return self.answer(self.send(method, **params))

    def attach(self):
        """Waits until the page is there."""
        while self.session is None:
            targets = self.call("Target.getTargets")["targetInfos"]
            target = next((t["targetId"] for t in targets if t["type"] == "page"), None)
            if target:
                attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
                self.session = attached["sessionId"]
            else:
                time.sleep(0.01)
        # Errors thrown before this are told, too.
        self.call("Runtime.enable")
        while self.run("location.protocol == 'file:' && document.readyState") != "complete":
            time.sleep(0.01)

    def run(self, script):
        """What a script in the page returns or promises."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        return answer["result"].get("value")

    def place_of(self, selector):
        """Where to click for a selector; None if it is not there to be seen."""
        return self.run("""(() => {
            let element;
            try { element = document.querySelector(%s); } catch { return null; }
            if (!element) return null;
            element.scrollIntoViewIfNeeded();
            const box = element.getBoundingClientRect();
            return box.width && box.height ? [box.x + box.width / 2, box.y + box.height / 2] : null;
        })()""" % json.dumps(selector))

    def mouse(self, kind, place, **more):
        x, y = place
        return self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def do(self, action):
        match action:
            case {"click": target}:
                place = self.place_of(target) if isinstance(target, str) else target
                if place:
                    left = {"button": "left", "clickCount": 1}
                    sent = [self.mouse("mousePressed", place, **left),
                            self.mouse("mouseReleased", place, **left)]
                    list(map(self.answer, sent))
            case {"key": key}:
                code = {"key": key, "windowsVirtualKeyCode": KEYS[key]}
                sent = [self.send("Input.dispatchKeyEvent", type=kind, **code)
                        for kind in ("rawKeyDown", "keyUp")]
                list(map(self.answer, sent))
            case {"type": text}:
                self.call("Input.insertText", text=text)
            case {"scroll": [dx, dy]}:
                self.answer(self.mouse("mouseWheel", [400, 300], deltaX=dx, deltaY=dy))
                # The wheel is answered at once; the page has followed when it draws its next frame.
                self.run("new Promise(requestAnimationFrame)")


def replay(page, actions):
    """Does the actions; the error that the page has thrown, if any."""
    with Browser(find_browser(), page) as browser:
        browser.attach()
        for action in actions:
            browser.do(action)
            if browser.error:
                break
        # Whatever was thrown before is told before this is answered.
        browser.run("0")
        return browser.error


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(125))
    try:
        error = replay(sys.argv[1], read_actions(sys.argv[2]))
    except Unclear as unclear:
        print(f"replay.py: {unclear}", file=sys.stderr)
        return 125
    if error:
        print(error.splitlines()[0], file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
