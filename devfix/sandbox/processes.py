"""Processes: who descends from whom, how much memory they hold, and how to end them all."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_PROC = Path("/proc")
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_KIB = 1024
#: Seconds that may go into asking for shares of memory.
_LONG_ENOUGH = 0.2
#: Where the state, the parent and the resident pages stand in /proc/PID/stat after the name (proc(5)).
_STATE, _PARENT, _GROUP, _THREADS, _RESIDENT = 0, 1, 2, 17, 21
#: More bytes than any such file has.
_STAT_SIZE = 4096
#: Among more processes than these one list of all is no dearer than one of each, and leaves nobody out.
_FEW = 16
#: What ``ps`` prints for each process: the numbers of itself, its parent and its group, its memory in KiB, its state.
_COLUMNS = 5


@dataclass(frozen=True, slots=True)
class Process:
    """One process; a ``dead`` one only waits for its parent to take notice."""

    pid: int
    parent: int
    group: int
    threads: int
    resident: int
    dead: bool


def running() -> dict[int, Process]:
    """All processes of the machine that can be seen from here."""
    found = _from_proc() if sys.platform == "linux" else _from_ps()
    return {process.pid: process for process in found}


def _from_proc() -> Iterable[Process]:
    for entry in os.listdir(_PROC):
        if entry.isdecimal() and (found := _process(int(entry))) is not None:
            yield found


def _process(pid: int) -> Process | None:
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:
            return _parsed(pid, file.read(_STAT_SIZE))
    except OSError:
        return None


def _parsed(pid: int, stat: bytes) -> Process:
    # The name stands in parentheses and may hold any byte, so the fields are counted from the last one.
    fields = stat[stat.rindex(b")") + 2 :].split()
    parent, group, threads, pages = (int(fields[at]) for at in (_PARENT, _GROUP, _THREADS, _RESIDENT))
    return Process(pid, parent, group, threads, pages * _PAGE, fields[_STATE] in b"ZX")


def _from_ps() -> Iterable[Process]:
    import subprocess  # noqa: PLC0415 - takes half as long as all else that a keeper imports

    command = ["/bin/ps", "-axo", "pid=,ppid=,pgid=,rss=,state="]
    listing = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - a constant
    for line in listing.stdout.splitlines():
        fields = line.split()
        if len(fields) >= _COLUMNS:
            pid, parent, group, resident = map(int, fields[:4])
            yield Process(pid, parent, group, 1, resident * _KIB, fields[4].startswith("Z"))


def descendants(of: int) -> list[Process]:
    """The processes below ``of``, those nearer to it first."""
    everyone = running()
    children: dict[int, list[Process]] = {}
    for process in everyone.values():
        children.setdefault(process.parent, []).append(process)
    found, pending = [], [of]
    for pid in pending:
        below = children.get(pid, [])
        found.extend(below)
        pending.extend(process.pid for process in below)
    return found


def family(of: int) -> list[Process]:
    """What :func:`descendants` gives, at a price that does not grow with the machine's other processes.

    It is for those who look again and again: what is born or ends during a look may be missing in it.
    """
    if not _children_are_listed():
        return descendants(of)
    pending = [of]
    for pid in pending:
        pending.extend(_children(pid))
        if len(pending) > _FEW:
            return descendants(of)
    return [found for pid in pending[1:] if (found := _process(pid)) is not None]


@cache
def _children_are_listed() -> bool:
    return os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def _children(of: int) -> list[int]:
    """The children that each thread of a process has started."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{of}/task"):
            # A thread may end since it was listed.
            with (
                contextlib.suppress(OSError),
                open(f"/proc/{of}/task/{thread}/children", "rb", buffering=0) as file,
            ):
                found += map(int, file.read().split())
    return found


def memory_of(processes: Iterable[Process], limit: int) -> int:
    """The bytes that processes hold together; pages that several share count once when it matters.

    Asking the kernel for shares is slow, needless as long as the plain sum is within ``limit``, and
    given up where it takes too long: what is multiplying must not get the time for it.
    """
    alive = [process for process in processes if not process.dead]
    total = sum(process.resident for process in alive)
    if total <= limit or len(alive) == 1 or sys.platform != "linux":
        return total
    deadline = time.monotonic() + _LONG_ENOUGH
    return sum(
        _share(process) if time.monotonic() < deadline else process.resident
        for process in sorted(alive, key=lambda process: -process.resident)
    )


def _share(process: Process) -> int:
    try:
        text = _PROC.joinpath(str(process.pid), "smaps_rollup").read_text(encoding="ascii")
    except (FileNotFoundError, ProcessLookupError):
        # It ended since it was listed.
        return 0
    except OSError:
        return process.resident
    lines = (line.split() for line in text.splitlines())
    return next((int(words[1]) * _KIB for words in lines if words[0] == "Pss:"), 0)


def end_all(find: Callable[[], Iterable[Process]], patience: float) -> list[int]:
    """Kill what ``find`` finds until it finds nothing; what is left after ``patience`` seconds is returned.

    All are stopped before the first is killed: what multiplies must not do so meanwhile. A signal to a
    group reaches all of it at once, also those that are being forked. Of the dead nobody takes notice
    here: whoever has children beside these still wants to know how those ended.
    """
    deadline = time.monotonic() + patience
    while left := list(find()):
        groups = {process.group for process in left} - {os.getpgrp(), 0}
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for group in groups:
                _signal(os.killpg, group, number)
            for process in left:
                _signal(os.kill, process.pid, number)
        if time.monotonic() > deadline:
            return [process.pid for process in left]
        time.sleep(0.002)
    return []


def _signal(send: Callable[[int, int], None], to: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        send(to, number)


def reap(watched: int = 0) -> int | None:
    """Take notice of the dead children of this process; the wait status of ``watched`` when it is among them."""
    status = None
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, each = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            if pid == watched:
                status = each
    return status


def marked(mark: str) -> list[Process]:
    """The processes that were started with ``mark`` in their environment (Linux only)."""
    return [process for process in running().values() if not process.dead and _has(process.pid, mark)]


def _has(pid: int, mark: str) -> bool:
    try:
        return mark.encode() in _PROC.joinpath(str(pid), "environ").read_bytes()
    except OSError:
        return False
