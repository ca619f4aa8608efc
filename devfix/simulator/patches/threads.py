"""Threads: each has its own stack of modes, so a new one has to be told of the machine."""

from __future__ import annotations

import functools
import threading
from typing import Any

from ..dispatch import DeviceChecks
from ..machine import Machine
from ..patching import Patcher


def install(patcher: Patcher, machine: Machine) -> None:
    """Check the operations of threads that the program starts, too."""

    def watched(original: Any) -> Any:
        @functools.wraps(original)
        def run(self: threading.Thread) -> None:
            with DeviceChecks(machine):
                original(self)

        return run

    patcher.wrap(threading.Thread, "_bootstrap_inner", watched)
