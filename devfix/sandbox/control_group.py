"""ControlGroup: a bound on how many tasks a child and all that comes of it may have, held by the kernel.

``RLIMIT_NPROC`` counts what a user runs on the whole machine and binds no superuser; a control group
counts one tree of processes, whoever runs it. Where none can be made (no right to, another system)
the child is watched all the same, only less firmly.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

_MOUNTS = Path("/proc/self/mounts")
_OWN = Path("/proc/self/cgroup")


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """One group of the kernel's ``pids`` controller (cgroups(7)), to be removed when it is empty."""

    folder: Path

    def join(self) -> None:
        """Put this process in; what it starts is born within."""
        (self.folder / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")

    @property
    def is_full(self) -> bool:
        """Whether a process or thread was refused."""
        events = dict(line.split(" ", 1) for line in _lines(self.folder / "pids.events") if " " in line)
        return events.get("max", "0").strip() != "0"

    def remove(self) -> None:
        """Take the group away; one that is not empty stays."""
        with contextlib.suppress(OSError):
            self.folder.rmdir()


def remove_of(keeper: int) -> None:
    """Take the group away that a keeper made and could not remove itself."""
    for parent in _parents():
        ControlGroup(_folder(parent, keeper)).remove()


def _folder(parent: Path, keeper: int) -> Path:
    return parent / f"devfix-{keeper}"


def new(tasks: int) -> ControlGroup | None:
    """A group for at most ``tasks`` processes and threads; None where it cannot be made."""
    for parent in _parents():
        folder = _folder(parent, os.getpid())
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            (folder / "pids.max").write_text(str(tasks), encoding="ascii")
        except OSError:
            folder.rmdir()
            continue
        return ControlGroup(folder)
    return None


def _parents() -> list[Path]:
    """Where a group may be made: beside the groups that this process belongs to, in either version."""
    found = []
    for line in _lines(_MOUNTS):
        _, place, kind, options = line.split()[:4]
        if kind == "cgroup" and "pids" in options.split(","):
            found.append(Path(place + _own_path("pids")))
        elif kind == "cgroup2":
            found.append(Path(place + _own_path("")))
    return found


def _own_path(controller: str) -> str:
    for line in _lines(_OWN):
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            return path
    return "/"


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
