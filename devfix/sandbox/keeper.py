"""Keeper: the process between devfix and a child; it watches the child, and ends all that came of it.

It runs as a process of its own, so that it can adopt orphans for this one child alone, and so that
the child ends when devfix is killed: then the pipe to standard input closes. The order comes as one
line of JSON on standard input, the outcome goes as JSON to standard output. POSIX only.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import selectors
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from devfix.sandbox import control_group, processes, system_calls
from devfix.sandbox.capture import Capture
from devfix.sandbox.enclosure import Command, Isolation, Places, enter
from devfix.sandbox.limits import Limits

_LINUX = sys.platform == "linux"
#: The pause between two looks at the processes, and how much longer than a look it is at least.
_PAUSE, _LOOKS = (0.03 if _LINUX else 0.5), 10
#: On a busy machine a look takes long; what goes on in between must not go on for long.
_LONGEST_PAUSE = 1.0
#: How long the kernel may take to end what was killed, and a pipe to run dry afterwards.
_PATIENCE = 20.0
_PIECE = 1 << 16
#: How many threads a process may have on the average before the system refuses to start another.
_TASKS_EACH = 8
#: Threads of the few processes that use all cores.
_SPARE_TASKS = 256 + 8 * (os.cpu_count() or 1)
#: The keeper has to get its turn among hundreds that are busy multiplying.
_FIRST_TO_RUN = -15
#: A child that takes too much memory is to die before any other process of the machine.
_FIRST_TO_DIE = "1000"


class Keeper:
    """One child from its start to the end of the last process that came of it."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.limits = Limits(**order["limits"])
        self.isolation = Isolation(**order["isolation"])
        self.places = Places(**order["places"])
        self.command = Command(**order["command"])
        self.captures = {
            name: Capture(self.limits.head, self.limits.tail) for name in ("output", "errors", "fault")
        }
        self.limit: str | None = None
        self.status: int | None = None
        self.peak_memory = 0
        self.peak_processes = 0
        self._selector = selectors.DefaultSelector()
        self._child = 0
        self._asked_to_end = 0.0
        self._next_look = 0.0
        self._known: set[int] = set()
        self._group = control_group.new(_SPARE_TASKS + self.limits.processes * _TASKS_EACH)

    def run(self) -> dict[str, Any]:
        """Start the child, watch it, end what is left; the outcome as plain values."""
        started = time.monotonic()
        self._start()
        self._watch(started)
        seconds = time.monotonic() - started
        left = processes.end_all(self._others, _PATIENCE)
        self._drain(time.monotonic() + _PATIENCE)
        if self._group is not None:
            self._group.remove()
        return {
            "status": self.status,
            "limit": self.limit,
            "seconds": seconds,
            "peak_memory": self.peak_memory,
            "peak_processes": self.peak_processes,
            "left": left,
            "dropped": self.captures["output"].dropped,
            **{name: capture.text() for name, capture in self.captures.items()},
        }

    def _start(self) -> None:
        if _LINUX:
            system_calls.adopt_orphans()
        pipes = {name: os.pipe() for name in self.captures}
        usual = os.nice(0)
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, _FIRST_TO_RUN)
        self._child = os.fork()
        if self._child == 0:
            self._become_child({name: pair[1] for name, pair in pipes.items()}, usual)
        for name, (receiver, sender) in pipes.items():
            os.close(sender)
            os.set_blocking(receiver, False)
            self._selector.register(receiver, selectors.EVENT_READ, name)
        self._selector.register(0, selectors.EVENT_READ, "devfix")

    def _become_child(self, ends: dict[str, int], priority: int) -> NoReturn:
        """Go on as the command; whatever fails on the way is told, and never the keeper's work done twice."""
        report = _writer(ends["fault"])
        try:
            if self._group is not None:
                self._group.join()
            os.setpriority(os.PRIO_PROCESS, 0, priority)
            _prepare(self.limits, ends["output"], ends["errors"])
            enter(self.isolation, self.places, self.command, self.limits.memory, report)
        except BaseException as error:  # noqa: BLE001 - see above
            with contextlib.suppress(OSError):
                report(f"{type(error).__name__}: {error}")
        finally:
            os._exit(1)

    def _watch(self, started: float) -> None:
        while self.status is None and self.limit in (None, "time"):
            self._read(_PAUSE)
            status = processes.reap(self._child)
            if status is not None:
                self.status = os.waitstatus_to_exitcode(status)
                return
            now = time.monotonic()
            if now >= self._next_look and self.limit is None:
                self._look()
                self._next_look = now + min(max(_PAUSE, _LOOKS * (time.monotonic() - now)), _LONGEST_PAUSE)
            self._mind_time(now, started)

    def _mind_time(self, now: float, started: float) -> None:
        if self._asked_to_end:
            if now - self._asked_to_end > self.limits.grace:
                return self._end_child()
        elif self.limit is None and now - started > self.limits.seconds:
            self.limit, self._asked_to_end = "time", now
            # A program that can end by itself tells how far it came.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._child, signal.SIGTERM)
        return None

    def _end_child(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._child, signal.SIGKILL)

    def _look(self) -> None:
        found = processes.family(os.getpid())
        self._known.update(process.pid for process in found)
        self.peak_processes = max(self.peak_processes, len(found))
        if len(found) > self.limits.processes or (self._group is not None and self._group.is_full):
            self.limit = "processes"
            return
        memory = processes.memory_of(found, self.limits.memory)
        self.peak_memory = max(self.peak_memory, memory)
        if memory > self.limits.memory:
            self.limit = "memory"
        elif _free(self.places.box) < self.limits.disk_left:
            self.limit = "disk"

    def _read(self, pause: float) -> None:
        for key, _ in self._selector.select(pause):
            try:
                data = os.read(key.fd, _PIECE)
            except BlockingIOError:
                continue
            if data and key.data in self.captures:
                self.captures[key.data].add(data)
            elif not data:
                self._selector.unregister(key.fd)
                if key.data == "devfix":
                    self._abandon()
        if self.limit is None and self._printed() > self.limits.output:
            self.limit = "output"

    def _printed(self) -> int:
        return self.captures["output"].total + self.captures["errors"].total

    def _drain(self, deadline: float) -> None:
        """Read what is left in the pipes; no more than may be printed, since it would be dropped anyway."""
        while len(self._selector.get_map()) > 1 and time.monotonic() < deadline:
            self._read(_PAUSE)

    def _abandon(self) -> None:
        """End when devfix is gone: nobody else would end the child, or take the copy away."""
        import shutil  # noqa: PLC0415 - a keeper is started for each run, and few come to this

        processes.end_all(self._others, _PATIENCE)
        if self._group is not None:
            self._group.remove()
        shutil.rmtree(self.places.box, ignore_errors=True)
        os._exit(1)

    def _others(self) -> list[processes.Process]:
        # All that end below come to this process, and stay listed until it takes notice.
        processes.reap()
        below = processes.descendants(os.getpid())
        if _LINUX:
            return below
        # Elsewhere an orphan is adopted by the system: what was seen below the child is still to end.
        seen = (process for process in processes.running().values() if process.pid in self._known)
        return [*below, *(process for process in seen if not process.dead)]


def _prepare(limits: Limits, output: int, errors: int) -> None:
    """Make of a forked process what the command expects to find: a session, streams, limits."""
    os.setsid()
    if _LINUX:
        system_calls.die_with_parent(signal.SIGKILL)
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text(_FIRST_TO_DIE, encoding="ascii")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(errors, 2)
    _bound(resource.RLIMIT_CORE, 0)
    _bound(resource.RLIMIT_FSIZE, limits.file_size)
    # Far above the limit, since it counts the threads of all that the user runs; a dam against floods.
    tasks = sum(process.threads for process in processes.running().values())
    _bound(resource.RLIMIT_NPROC, tasks + _SPARE_TASKS + limits.processes * _TASKS_EACH)


def _free(folder: str) -> int:
    """The bytes that a file system has left for the user."""
    system = os.statvfs(folder)
    return system.f_bavail * system.f_frsize


def _bound(what: int, value: int) -> None:
    hard = resource.getrlimit(what)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(what, (value, value))


def _writer(descriptor: int) -> Callable[[str], None]:
    return lambda text: (os.write(descriptor, text.encode(errors="replace")), None)[1]


def _order() -> dict[str, Any]:
    # Byte by byte would be slow, and a buffer would hold what comes later; nothing comes later.
    line = b""
    while not line.endswith(b"\n"):
        piece = os.read(0, _PIECE)
        if not piece:
            sys.exit(1)
        line += piece
    order: dict[str, Any] = json.loads(line)
    return order


def main() -> None:
    """Do what the order says."""
    answer = json.dumps(Keeper(_order()).run())
    sys.stdout.write(answer)
    sys.stdout.flush()
