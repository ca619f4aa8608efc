"""Supervision: giving a command to a keeper, and taking its word for how it ended."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

import devfix
from devfix.sandbox import control_group, processes
from devfix.sandbox.enclosure import OPEN, Command, Isolation, Places, choices
from devfix.sandbox.ending import Ending
from devfix.sandbox.environment import MARK
from devfix.sandbox.limits import Limits

#: Starts the keeper in devfix's own Python, without the user's settings and start-up files.
_START = "import sys; sys.path.insert(0, sys.argv[1]); from devfix.sandbox.keeper import main; main()"
_PATIENCE = 20.0


class SandboxError(Exception):
    """The command could not be started at all."""


class Keepers:
    """The keepers at work; when devfix has to stop they are all told."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._working: set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    def ask(self, order: dict[str, Any]) -> dict[str, Any] | None:
        """What the keeper answers to an order, or None when it was told to stop or killed."""
        keeper = self._engage(order)
        if keeper is None or keeper.stdout is None:
            return None
        try:
            answer = keeper.stdout.read()
        finally:
            self._dismiss(keeper)
        if not answer:
            _sweep(order["command"]["environment"], keeper.pid)
        return json.loads(answer) if answer else None

    def stop(self) -> None:
        """End every child, and start no other."""
        with self._lock:
            self._stopped = True
            working = list(self._working)
        for keeper in working:
            _hang_up(keeper)

    @property
    def stopped(self) -> bool:
        """Whether all were told to stop."""
        return self._stopped

    def _engage(self, order: dict[str, Any]) -> subprocess.Popen[bytes] | None:
        root = str(Path(devfix.__file__).resolve().parent.parent)
        with self._lock:
            if self._stopped:
                return None
            keeper = subprocess.Popen(  # noqa: S603 - devfix's own Python and code
                [sys.executable, "-I", "-S", "-c", _START, root],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
            self._working.add(keeper)
        with contextlib.suppress(BrokenPipeError):
            assert keeper.stdin is not None  # noqa: S101 - asked for above
            keeper.stdin.write(json.dumps(order).encode() + b"\n")
            keeper.stdin.flush()
        return keeper

    def _dismiss(self, keeper: subprocess.Popen[bytes]) -> None:
        _hang_up(keeper)
        keeper.wait()
        if keeper.stdout is not None:
            keeper.stdout.close()
        with self._lock:
            self._working.discard(keeper)


def _hang_up(keeper: subprocess.Popen[bytes]) -> None:
    """Close the pipe whose end tells the keeper to end its child."""
    if keeper.stdin is not None:
        with contextlib.suppress(OSError, ValueError):
            keeper.stdin.close()


KEEPERS = Keepers()


def supervise(isolation: Isolation, places: Places, command: Command, limits: Limits) -> Ending:
    """Run a command under a keeper; raises SandboxError when it cannot be started."""
    if os.name != "posix":
        from devfix.sandbox.unwatched import run_unwatched  # noqa: PLC0415 - for one system only

        return run_unwatched(command, limits)
    order = {
        "isolation": asdict(isolation),
        "places": asdict(places),
        "command": asdict(command),
        "limits": asdict(limits),
    }
    started = time.monotonic()
    answer = KEEPERS.ask(order)
    if answer is None:
        limit = "interrupted" if KEEPERS.stopped else "lost"
        return Ending(None, limit=limit, seconds=time.monotonic() - started, isolation=isolation)
    fault = answer.pop("fault")
    if fault:
        raise SandboxError(f"{command.arguments[0]} cannot be run: {fault}")
    return Ending(**{**answer, "left": tuple(answer["left"])}, isolation=isolation)


def _sweep(environment: Mapping[str, str], keeper: int) -> None:
    """End what outlived its keeper, found by the mark in its environment."""
    if sys.platform == "linux":
        mark = f"{MARK}={environment[MARK]}"
        processes.end_all(lambda: processes.marked(mark), _PATIENCE)
        control_group.remove_of(keeper)


@cache
def strongest_isolation() -> Isolation:
    """The strongest isolation that this system grants; found by trying."""
    for isolation in choices()[:-1]:
        with contextlib.suppress(SandboxError):
            if _works(isolation):
                return isolation
    return OPEN


def _works(isolation: Isolation) -> bool:
    with tempfile.TemporaryDirectory(prefix="devfix-") as folder:
        box = os.path.realpath(folder)
        names = ("original", "copy", "view", "others", "temporary")
        for name in names:
            os.mkdir(os.path.join(box, name))
        places = Places(box=box, **{name: os.path.join(box, name) for name in names})
        command = Command([sys.executable, "-I", "-S", "-c", ""], places.original, {MARK: "trial"})
        limits = replace(Limits(), seconds=20.0)
        return supervise(isolation, places, command, limits).status == 0
