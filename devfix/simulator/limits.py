"""Limits: the end of a program's time or steps, brought about in its main thread."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from typing import Any, Callable, Optional

#: A program that catches everything is told again after so many seconds, and ended after so many.
_AGAIN, _GRACE = 0.5, 3.0


class Stop(BaseException):
    """Raised in the program when it has reached a limit; no ``except Exception`` catches it."""


class Limits:
    """Stops a program after some seconds, steps or mismatches.

    ``stopping`` is called with the reason before the program is told, ``gone`` when it would not end:
    a program may catch everything, or wait for a thread that knows of no limit.
    """

    def __init__(
        self,
        seconds: Optional[float],
        steps: Optional[int],
        mismatches: Optional[int],
        stopping: Callable[[str], None],
        gone: Callable[[], None],
    ) -> None:
        self._seconds = seconds
        self._steps = steps
        self._mismatches = mismatches
        self._stopping = stopping
        self._gone = gone
        self._stopped: Optional[float] = None
        self._process = os.getpid()
        #: Whether the main thread is past the program, where nobody waits for an exception.
        self.over = False

    def start(self) -> None:
        """Let the time run."""
        if self._seconds is None:
            return
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, self._late)
            # A signal interrupts waits and needs no thread, which programs that fork would notice.
            signal.setitimer(signal.ITIMER_REAL, self._seconds, _AGAIN)
        else:
            threading.Thread(target=self._watch, args=(self._seconds,), daemon=True).start()

    def stop(self) -> None:
        """Let the time run no more: Python is about to take its handlers of signals away."""
        if self._seconds is not None and hasattr(signal, "setitimer") and os.getpid() == self._process:
            signal.setitimer(signal.ITIMER_REAL, 0.0)

    def stepped(self, steps: int) -> None:
        """Be told how many steps were made by now; stops the program after the last one it may make."""
        self._compare(steps, self._steps, "max-steps")

    def seen(self, mismatches: int) -> None:
        """Be told how many mismatches were seen by now; stops the program at the last one that is wanted."""
        self._compare(mismatches, self._mismatches, "max-mismatches")

    def _compare(self, count: int, most: Optional[int], reason: str) -> None:
        if most is not None and count >= most and os.getpid() == self._process:
            self._tell(reason)
            raise Stop(reason)

    def _tell(self, reason: str) -> None:
        if self._stopped is None:
            self._stopped = time.monotonic()
            self._stopping(reason)

    def _late(self, _number: int, _frame: Any) -> None:
        if os.getpid() != self._process:
            return
        self._tell("max-seconds")
        if self.over or time.monotonic() - (self._stopped or 0.0) > _GRACE:
            self._gone()
        elif sys.is_finalizing() is False:
            raise Stop("max-seconds")

    def _watch(self, seconds: float) -> None:
        """The same where there are no such signals (Windows)."""
        time.sleep(seconds)
        self._tell("max-seconds")
        main = ctypes.c_ulong(threading.main_thread().ident or 0)
        for _ in range(round(_GRACE / _AGAIN)):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(main, ctypes.py_object(Stop))
            time.sleep(_AGAIN)
        self._gone()
