"""A child on a system without POSIX processes (Windows): held to its time and its output, and nothing else."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from typing import IO

from devfix.sandbox.capture import Capture
from devfix.sandbox.enclosure import Command
from devfix.sandbox.ending import Ending
from devfix.sandbox.limits import Limits

_PIECE = 1 << 16


def run_unwatched(command: Command, limits: Limits) -> Ending:
    """Run a command, and end the tree of its processes when it takes too long or prints too much."""
    started = time.monotonic()
    child = subprocess.Popen(  # noqa: S603 - running the user's program is what this is for
        list(command.arguments),
        cwd=command.folder,
        env=dict(command.environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    captures = [Capture(limits.head, limits.tail) for _ in range(2)]
    readers = [
        threading.Thread(target=_drain, args=(stream, capture), daemon=True)
        for stream, capture in zip((child.stdout, child.stderr), captures, strict=True)
    ]
    for reader in readers:
        reader.start()
    limit = _wait(child, captures, started, limits)
    _end_tree(child)
    for reader in readers:
        reader.join(limits.grace)
    return Ending(
        None if limit else child.returncode,
        output=captures[0].text(),
        errors=captures[1].text(),
        limit=limit,
        seconds=time.monotonic() - started,
        dropped=captures[0].dropped,
    )


def _drain(stream: IO[bytes] | None, capture: Capture) -> None:
    while stream is not None and (data := os.read(stream.fileno(), _PIECE)):
        capture.add(data)


def _wait(
    child: subprocess.Popen[bytes], captures: list[Capture], started: float, limits: Limits
) -> str | None:
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(0.05)
            return None
        if time.monotonic() - started > limits.seconds:
            return "time"
        if sum(capture.total for capture in captures) > limits.output:
            return "output"


def _end_tree(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None and os.name == "nt":
        # The only way to reach the children of a child without a job object.
        command = ["taskkill", "/T", "/F", "/PID", str(child.pid)]
        subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - a program of the system
    with contextlib.suppress(OSError):
        child.kill()
    child.wait()
