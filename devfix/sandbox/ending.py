"""Ending: how a child ended, and what it left."""

from __future__ import annotations

import signal
from dataclasses import dataclass

from devfix.sandbox.enclosure import OPEN, Isolation

#: What was exceeded, for the reader. The texts complete "it ...".
LIMITS = {
    "time": "did not end in time",
    "memory": "took more memory than it may",
    "processes": "started more processes than it may",
    "output": "printed more than it may",
    "disk": "filled the disk",
    "interrupted": "was interrupted",
    "lost": "killed the process that watched over it",
}


@dataclass(frozen=True, slots=True)
class Ending:
    """How one child ended.

    ``status`` is its exit status, or minus the number of the signal that ended it; None when it was still
    running. ``limit`` names the limit it exceeded, as in :data:`LIMITS`. ``dropped`` bytes of its output
    were not kept. ``left`` are processes that could not be ended.
    """

    status: int | None
    output: str = ""
    errors: str = ""
    limit: str | None = None
    seconds: float = 0.0
    peak_memory: int = 0
    peak_processes: int = 0
    dropped: int = 0
    left: tuple[int, ...] = ()
    isolation: Isolation = OPEN

    @property
    def network_off(self) -> bool:
        """Whether the child had no network at all, rather than only proxies that lead nowhere."""
        return self.isolation.network

    @property
    def signal_name(self) -> str | None:
        """The name of the signal that ended it, such as ``SIGKILL``."""
        if self.status is None or self.status >= 0:
            return None
        try:
            return signal.Signals(-self.status).name
        except ValueError:
            return f"signal {-self.status}"
