"""A headless Chromium, driven by its DevTools protocol over two pipes.

    with Browser() as browser:
        page = browser.open("file:///tmp/report.html", width=400, dark=True)
        page["value"] = browser.evaluate("document.title")
        browser.screenshot("/tmp/report.png")
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
ANSWER_SECONDS = 180


def find():
    """The path of a Chromium, or None. DPSYN_CHROMIUM names another one."""
    named = os.environ.get("DPSYN_CHROMIUM")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    def __init__(self):
        self.number = 0
        self.session = None
        self.unread = b""
        self.events = []
        self.directory = tempfile.mkdtemp(prefix="dpsyn-browser.")
        # It reads commands from descriptor 3 and writes answers to 4.
        command_read, self.commands = os.pipe()
        self.answers, answer_write = os.pipe()
        arguments = [
            find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run", "--disable-background-networking", "--disable-extensions",
            "--hide-scrollbars", f"--user-data-dir={self.directory}", "--remote-debugging-pipe",
        ]
        launcher = f'exec 3<&{command_read} 4>&{answer_write} && exec "$@"'
        self.process = subprocess.Popen(
            ["bash", "-c", launcher, "bash", *arguments],
            pass_fds=(command_read, answer_write), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )
        os.close(command_read)
        os.close(answer_write)

    def __enter__(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        self.call("Page.enable")
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.send("Browser.close")
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        shutil.rmtree(self.directory, ignore_errors=True)

    # ---- messages: JSON, each ended by a byte 0 ----

    def send(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data):]

    def receive(self):
        deadline = time.monotonic() + ANSWER_SECONDS
        while b"\0" not in self.unread:
            ready, _, _ = select.select([self.answers], [], [], deadline - time.monotonic())
            block = os.read(self.answers, 1 << 20) if ready else b""
            if not block:
                raise RuntimeError("the browser does not answer")
            self.unread += block
        message, self.unread = self.unread.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.send(method, **parameters)
        number = self.number
        while True:
            message = self.receive()
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def wait(self, event):
        while True:
            for at, message in enumerate(self.events):
                if message["method"] == event:
                    del self.events[: at + 1]
                    return message["params"]
            message = self.receive()
            if "method" in message:
                self.events.append(message)

    # ---- pages ----

    def open(self, url, width, dark=False):
        """Shows a page in a window so wide, until it is loaded."""
        self.call("Emulation.setDeviceMetricsOverride",
                  width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait("Page.loadEventFired")

    def evaluate(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def screenshot(self, path, top=0, height=None):
        """A PNG of the page from top on, all of it without height."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": top, "width": size["width"],
                "height": min(height or size["height"], size["height"] - top), "scale": 1}
        answer = self.call("Page.captureScreenshot", format="png", clip=clip,
                           captureBeyondViewport=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))
