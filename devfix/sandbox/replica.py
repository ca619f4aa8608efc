"""Replica: a copy of a folder that a program may do with as it likes."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

#: Caches, which a program makes anew.
_CACHES = frozenset("__pycache__ .mypy_cache .pytest_cache .ruff_cache .ipynb_checkpoints".split())
#: Histories and other people's code, which a program at most reads.
_FOREIGN = frozenset(".git .hg .svn .tox .nox node_modules".split())
#: More files than this take longer to copy than anybody waits.
_MOST_FILES = 100_000
#: A folder that holds this many files and no Python is linked as one.
_MANY = 5000
#: Smaller files are copied in any case: each may be one that the program writes to.
_SMALL = 1 << 20
#: Links that lead outside are followed this deep, in case they lead round in circles.
_MAX_DEPTH = 40


class TooLargeError(Exception):
    """The folder holds more than may be copied."""


@dataclass
class Replica:
    """What is copied of ``original``, and what is only linked to.

    Without a ``view``, a place at which the original can be read but not written, everything has to
    be copied: a link into the original would let the program write there.
    """

    original: Path
    limit: int
    view: Path | None = None
    files: dict[str, int] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)

    def plan(self) -> None:
        """Decide on every entry; raises TooLargeError."""
        self._walk(str(self.original), "", 0)
        excess = sum(self.files.values()) - self.limit
        if excess > 0:
            self._spare(excess)
        if len(self.files) > _MOST_FILES:
            raise TooLargeError(f"the folder {self.original} holds {len(self.files)} files: too many to copy")

    def make(self, target: Path) -> None:
        """Write the planned copy to the new folder ``target``."""
        target.mkdir(parents=True)
        for name in self.folders:
            (target / name).mkdir()
        for name in self.files:
            # What vanished, or may not be read, the program will miss, and say so better than we could.
            with contextlib.suppress(OSError):
                _copy_file(self.original / name, target / name)
        for name, place in self.links.items():
            with contextlib.suppress(OSError):
                (target / name).symlink_to(place)

    def _walk(self, folder: str, name: str, depth: int) -> None:
        for entry in _entries(folder):
            below = f"{name}/{entry.name}" if name else entry.name
            if entry.name in _CACHES:
                continue
            if entry.is_symlink():
                self._add_link(entry, below, depth)
            elif entry.is_dir():
                self._add_folder(entry.path, below, depth)
            else:
                self._add_file(entry.path, below)

    def _add_folder(self, path: str, name: str, depth: int) -> None:
        if _is_foreign(path) or (self.view is not None and _is_heap(path)):
            self._refer(name)
            return
        self.folders.append(name)
        if depth < _MAX_DEPTH:
            self._walk(path, name, depth + 1)

    def _add_file(self, path: str, name: str) -> None:
        with contextlib.suppress(OSError):
            status = os.stat(path)
            if stat.S_ISREG(status.st_mode):
                self.files[name] = status.st_size

    def _add_link(self, entry: os.DirEntry[str], name: str, depth: int) -> None:
        place = os.path.realpath(entry.path)
        root = str(self.original)
        if self.view is not None:
            # Whatever it leads to is read-only there, or within the copy.
            self.links[name] = os.readlink(entry.path)
        elif place == root or place.startswith(root + os.sep):
            start = os.path.dirname(os.path.join(root, name))
            self.links[name] = os.path.relpath(place, start)
        elif os.path.isdir(place):
            self._add_folder(entry.path, name, depth + 1)
        else:
            self._add_file(entry.path, name)

    def _refer(self, name: str) -> None:
        if self.view is not None:
            self.links[name] = str(self.view / name)

    def _spare(self, excess: int) -> None:
        """Link to the largest files until the others may be copied."""
        for name in sorted(self.files, key=lambda each: -self.files[each]):
            if excess <= 0:
                return
            if self.view is None or self.files[name] < _SMALL:
                break
            excess -= self.files.pop(name)
            self._refer(name)
        if excess > 0:
            raise TooLargeError(self._complaint())

    def _complaint(self) -> str:
        total = sum(self.files.values())
        largest = max(self.files, key=lambda each: self.files[each])
        return (
            f"the folder {self.original} holds {_size(total)}, more than the {_size(self.limit)} that may be copied"
            f" (--max-copy); its largest file is {largest} ({_size(self.files[largest])})"
        )


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        return sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return []


def _is_foreign(path: str) -> bool:
    return os.path.basename(path) in _FOREIGN or os.path.isfile(os.path.join(path, "pyvenv.cfg"))


def _is_heap(path: str) -> bool:
    """Whether a folder holds a great many files and no program right in it."""
    names = list(_names(path))
    return len(names) > _MANY and not any(name.endswith((".py", ".ipynb")) for name in names)


def _names(path: str) -> Iterator[str]:
    with contextlib.suppress(OSError), os.scandir(path) as entries:
        for entry in entries:
            yield entry.name


def _copy_file(source: Path, target: Path) -> None:
    shutil.copyfile(source, target)
    shutil.copystat(source, target)
    # The copy is the program's own, also where the original is read-only.
    target.chmod(stat.S_IMODE(target.stat().st_mode) | stat.S_IWUSR)


def _size(number: int) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if number < 1024:
            return f"{number:.0f} {unit}"
        number //= 1024
    return f"{number} GiB"
