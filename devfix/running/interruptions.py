"""Interruptions: Ctrl-C and its kin reach a program as they would without devfix around it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from typing import Any

#: So long the program may take to hear of an interruption by itself, in seconds.
_EARSHOT = 0.3
#: The program may answer so many of them as it likes; one more ends it.
_MOST = 2


class Interruptions:
    """Counts what interrupts devfix, and hands on what the program did not get by itself.

    A terminal interrupts all processes of its foreground group, ``kill -INT`` a single one; what comes twice would
    break off what a program does to end well. The program's Python writes each signal that it gets to ``ear``.
    """

    def __init__(self, listening: int | None = None, ear: int | None = None) -> None:
        self.ear = ear
        self._listening = listening
        self._count = self._heard = self._answered = 0

    def noted(self, _number: int, _frame: object) -> None:
        """One more: a handler of signals."""
        self._count += 1

    @property
    def enough(self) -> bool:
        """Whether the program is to be ended, whatever it makes of them."""
        return self._count > _MOST

    def hand_on(self, child: subprocess.Popen[Any]) -> None:
        """Let the program have what it did not get."""
        if self._answered == self._count or self._listening is None:
            return
        self._answered = self._count
        until = time.monotonic() + _EARSHOT
        while child.poll() is None and not self._all_heard(until):
            if time.monotonic() >= until:
                child.send_signal(signal.SIGINT)
                break
        # What its own processes heard, too, is not to count for the next one.
        self._heard = min(self._heard, self._count)

    def _all_heard(self, until: float) -> bool:
        if self._heard < self._count and self._listening is not None:
            left = max(until - time.monotonic(), 0)
            if select.select([self._listening], [], [], min(left, 0.05))[0]:
                self._heard += os.read(self._listening, 65536).count(signal.SIGINT)
        return self._heard >= self._count


@contextlib.contextmanager
def taken_along() -> Iterator[Interruptions]:
    """Who ends or interrupts devfix means the program as well.

    An end comes as an exception, on the way of which the program is ended, too.
    """
    if threading.current_thread() is not threading.main_thread():
        yield Interruptions()
        return

    def leave(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    with contextlib.ExitStack() as undone:
        interruptions = _with_an_ear(undone)
        for number, handler in ((signal.SIGTERM, leave), (signal.SIGINT, interruptions.noted)):
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                undone.callback(signal.signal, number, signal.signal(number, handler))
        yield interruptions


def _with_an_ear(undone: contextlib.ExitStack) -> Interruptions:
    """Where a descriptor can be handed to a process, and a signal sent to one."""
    if os.name != "posix":
        return Interruptions()
    listening, ear = os.pipe()
    undone.callback(os.close, listening)
    undone.callback(os.close, ear)
    return Interruptions(listening, ear)
