#!/usr/bin/env python3
"""Drives a real browser without a window, for the tests of the pages of `wynot serve`.

Each line of the standard input is a JSON array: an action and its arguments. Each is answered by a line with a JSON
object, which has a value or an error. The actions are the methods of `Driver` without an underscore.
"""

import base64
import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "examples" / "browser"))
import replay  # noqa: E402

LIMIT = 90  # seconds for one action
MARK = "window.alert = window.confirm = window.prompt = (text) => { window.name = 'dialog: ' + text; };"


class Driver:
    """The actions of a test."""

    def __init__(self, browser):
        self._browser = browser
        self._call = browser.call
        self._call("Page.enable")
        # Whoever opens a dialog leaves a mark that stays for all pages.
        self._call("Page.addScriptToEvaluateOnNewDocument", source=MARK)

    def _run(self, script):
        answer = self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise replay.Unclear(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def open(self, url):
        """Opens a page, and waits until it is there."""
        self._run("window.left = true")
        self._call("Page.navigate", url=url)
        self.wait("!window.left && document.readyState === 'complete'")

    def eval(self, script):
        return self._run(script)

    def wait(self, script):
        """Waits until a script returns something true, whatever pages come and go; returns it."""
        while True:
            try:
                value = self._run(script)
            except replay.Unclear as unclear:
                if "within" in str(unclear) or "ended" in str(unclear):
                    raise
                value, error = None, unclear
            else:
                error = None
            if value:
                return value
            if time.monotonic() > self._browser.deadline - 1:
                text = self._run("location.href + '\\n' + document.body.innerText")
                raise replay.Unclear(f"{script} stays {value!r} {error or ''} in {text}")
            time.sleep(0.02)

    def click(self, selector):
        if self._browser.place_of(selector) is None:
            raise replay.Unclear(f"{selector} cannot be clicked in {self._run('document.body.innerText')}")
        self._browser.do({"click": selector})

    def press(self, key):
        code = {"key": key, "code": key, "windowsVirtualKeyCode": replay.KEYS[key]}
        text = {"text": "\r"} if key == "Enter" else {}
        self._call("Input.dispatchKeyEvent", type="keyDown", **code, **text)
        self._call("Input.dispatchKeyEvent", type="keyUp", **code)

    def send(self, selector):
        """Clicks what leads to another page, and waits until that is there."""
        self._run("window.left = true")
        self.click(selector)
        self.wait("!window.left && document.readyState === 'complete'")

    def fill(self, selector, text):
        self._run(f"(() => {{ const field = document.querySelector({json.dumps(selector)}); field.focus(); field.select(); }})()")
        self._call("Input.insertText", text=text)

    def choose(self, selector, *files):
        """Chooses files in a form."""
        found = self._call("Runtime.evaluate", expression=f"document.querySelector({json.dumps(selector)})")
        self._call("DOM.setFileInputFiles", files=list(files), objectId=found["result"]["objectId"])

    def script(self, is_on):
        """Switches the scripts of pages on or off."""
        self._call("Emulation.setScriptExecutionDisabled", value=not is_on)

    def size(self, width, height, scheme):
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                   mobile=width < 600)
        self._call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def shot(self, path):
        """Saves a picture of the whole page."""
        size = self._call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 4000), "scale": 1}
        data = self._call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)["data"]
        Path(path).write_bytes(base64.b64decode(data))


def main():
    # Every name but this machine is unknown to the browser.
    replay.FLAGS = [flag for flag in replay.FLAGS if not flag.startswith("--host-resolver-rules")]
    replay.FLAGS.append("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost")
    replay.LIMIT = LIMIT
    with tempfile.NamedTemporaryFile(suffix=".html") as blank:
        with replay.Browser(replay.find_browser(), blank.name) as browser:
            browser.attach()
            driver = Driver(browser)
            for line in sys.stdin:
                name, *args = json.loads(line)
                browser.deadline = time.monotonic() + LIMIT
                try:
                    answer = {"value": getattr(driver, name)(*args)}
                except replay.Unclear as unclear:
                    answer = {"error": f"{name} {args}: {unclear}"}
                if browser.error:
                    answer = {"error": f"{name} {args}: a script of the page failed: {browser.error}"}
                print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
