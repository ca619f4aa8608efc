"""Limits: how much of the machine a child may take, and what of them this system can hold it to."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

MIB = 2**20
GIB = 2**30
#: What is taken for the machine's memory where it does not say.
_USUAL_MEMORY = 8 * GIB


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one run; sizes are bytes, times are seconds.

    ``grace`` is how long a program may go on after it was asked to end. ``output`` is what it may print
    before it is ended; of less, ``head`` and ``tail`` of each stream are kept. ``file_size`` bounds each
    file it writes, and ``disk_left`` is what must stay free.
    """

    seconds: float = 300.0
    memory: int = 0
    processes: int = 256
    output: int = 64 * MIB
    grace: float = 5.0
    head: int = 4 * MIB
    tail: int = MIB
    file_size: int = 8 * GIB
    disk_left: int = GIB // 2

    def __post_init__(self) -> None:
        if not self.memory:
            object.__setattr__(self, "memory", default_memory())


def default_memory() -> int:
    """Four fifths of the memory of the machine: the rest of it must go on working."""
    try:
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return _USUAL_MEMORY
    return pages * size * 4 // 5 if pages > 0 and size > 0 else _USUAL_MEMORY


def not_enforced(platform: str = sys.platform) -> tuple[str, ...]:
    """The limits that devfix cannot hold a child to on this system."""
    if platform == "linux":
        return ()
    if platform == "win32":
        return ("memory", "processes", "file size", "free disk", "network")
    # Without /proc and without a reaper of orphans, what leaves the tree between two looks is lost sight of.
    return ("processes that detach themselves", "network")
