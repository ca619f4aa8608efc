"""Children: what the processes that a simulated program starts have seen, gathered in a folder.

A child writes its file when it sees a mismatch for the first time, since a forked process may end without warning,
and once more when it ends. The process that made the folder reads them.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any, Optional

from .events import Log

Report = dict[str, Any]


class Children:
    """The files of the child processes of one simulation."""

    def __init__(self, folder: Optional[str] = None) -> None:
        self._owner = os.getpid() if folder is None else None
        self._folder = folder
        self._ended: list[Report] = []

    @property
    def folder(self) -> str:
        """The folder, which the first child that has something to say makes."""
        if self._folder is None:
            name = f"devfix-{os.getpid()}-{secrets.token_hex(8)}"
            self._folder = os.path.join(tempfile.gettempdir(), name)
            atexit.register(self.close)
        return self._folder

    def close(self) -> None:
        """Read everything and remove the folder, in the process that made it."""
        if os.getpid() == self._owner and self._folder is not None:
            self._ended = self.reports()
            atexit.unregister(self.close)
            shutil.rmtree(self._folder, ignore_errors=True)

    def reports(self) -> list[Report]:
        """What the children have seen so far; of those that ended the files are removed."""
        if os.getpid() != self._owner or self._folder is None:
            return []
        going: list[Report] = []
        for path in self._files():
            with contextlib.suppress(OSError, ValueError):
                with open(path, encoding="utf-8") as file:
                    report = json.load(file)
                (self._ended if report["ended"] else going).append(report)
                if report["ended"]:
                    os.remove(path)
        return [*self._ended, *going]

    def _files(self) -> Iterator[str]:
        with contextlib.suppress(FileNotFoundError):
            for name in sorted(os.listdir(self.folder)):
                if name.endswith(".json"):
                    yield os.path.join(self.folder, name)

    def write(self, log: Log, *, ended: bool) -> None:
        """Leave what this process, a child, has seen; nothing where it has seen nothing."""
        if os.getpid() == self._owner or not log:
            return
        path = os.path.join(self.folder, f"{os.getpid()}.json")
        report = {"ended": ended, "mismatches": log.mismatches, "transfers": log.transfers}
        # A child that cannot say what it saw goes on all the same.
        with contextlib.suppress(OSError):
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            with open(f"{path}.part", "w", encoding="utf-8") as file:
                json.dump(report, file)
            os.replace(f"{path}.part", path)
