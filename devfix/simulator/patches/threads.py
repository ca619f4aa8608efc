"""Threads: each has its own stack of modes, so a new one has to be told of the machine."""

from __future__ import annotations

import functools
import threading
from typing import Any

from ..dispatch import DeviceChecks
from ..machine import Machine
from ..patching import Patcher
from ..places import NOWHERE, start_here, started


def install(patcher: Patcher, machine: Machine) -> None:
    """Check the operations of threads that the program starts, too."""

    def starting(original: Any) -> Any:
        @functools.wraps(original)
        def start(self: Any) -> None:
            self._devfix_start = start_here()
            original(self)

        return start

    def watched(original: Any) -> Any:
        @functools.wraps(original)
        def run(self: Any) -> None:
            started(self.__dict__.pop("_devfix_start", NOWHERE))
            with DeviceChecks(machine):
                original(self)

        return run

    patcher.wrap(threading.Thread, "start", starting)
    patcher.wrap(threading.Thread, "_bootstrap_inner", watched)
