"""A real Chromium, driven over its debugging pipe: pages are opened, typed into and asked."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
#: The descriptors on which Chromium listens and answers.
_IN, _OUT = 3, 4
#: Names of keys, as events have them, that are not the character they type.
_CODES = {"Enter": 13, "Escape": 27, "Tab": 9}


class Browser:
    """One page in one browser."""

    def __init__(self, sender: int, receiver: int) -> None:
        self._sender = sender
        self._receiver = receiver
        self._number = 0
        self._read = b""
        self._session = ""
        #: Errors that the page raised, and what it wrote to the console.
        self.complaints: list[str] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Give an order and wait for its answer."""
        self._number += 1
        order = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            order["sessionId"] = self._session
        os.write(self._sender, json.dumps(order).encode() + b"\0")
        while True:
            message = self._next()
            if message.get("id") == self._number:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result
            self._note(message)

    def open(self, page: Path) -> None:
        """Open a file and wait until it is there."""
        self.send("Page.navigate", url=page.resolve().as_uri())
        while self.ask("document.readyState") != "complete":
            pass

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            text = "\r" if key == "Enter" else key if len(key) == 1 else ""
            code = _CODES.get(key, 0)
            told = {"key": key, "windowsVirtualKeyCode": code}
            self.send("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **told)
            self.send("Input.dispatchKeyEvent", type="keyUp", **told)

    def resize(self, width: int, height: int) -> None:
        """Be as large as some device."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def prefer(self, scheme: str) -> None:
        """Be set to dark or light."""
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._read:
            data = os.read(self._receiver, 1 << 16)
            assert data, "the browser ended"
            self._read += data
        line, self._read = self._read.split(b"\0", 1)
        message: dict[str, Any] = json.loads(line)
        return message

    def _note(self, message: dict[str, Any]) -> None:
        if message.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled"):
            self.complaints.append(json.dumps(message["params"]))


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser of one's own, that knows nobody's settings."""
    assert CHROMIUM is not None
    read_orders, send_orders = os.pipe()
    read_answers, send_answers = os.pipe()
    ends = {read_orders: _IN, send_answers: _OUT}
    with tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True) as profile:
        flags = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-dev-shm-usage",
        ]
        # The shell puts the pipes where the browser looks for them.
        moves = " ".join(f"{there}{'<' if there == _IN else '>'}&{here}" for here, there in ends.items())
        script = f'exec "$0" "$@" {moves}'
        command = [
            "/bin/bash",
            "-c",
            script,
            CHROMIUM,
            *flags,
            "--remote-debugging-pipe",
            f"--user-data-dir={profile}",
        ]
        process = subprocess.Popen(
            command,
            pass_fds=tuple(ends),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for end in ends:
            os.close(end)
        try:
            yield Browser(send_orders, read_answers)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            os.close(send_orders)
            os.close(read_answers)
