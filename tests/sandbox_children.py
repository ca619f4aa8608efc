"""What the tests of the sandbox share: its isolations, the traces of a run, the state of a folder."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from devfix.sandbox.enclosure import OPEN, Isolation
from devfix.sandbox.supervision import strongest_isolation

TOKEN = "DEVFIX_TEST_TOKEN"


def isolations() -> list[Isolation]:
    """The strongest that this machine grants, and none at all: both have to hold a program."""
    return list(dict.fromkeys([strongest_isolation(), OPEN]))


def named(isolation: Isolation) -> str:
    return "open" if isolation == OPEN else "isolated"


@dataclass(frozen=True)
class Entry:
    """What a file is, and what it holds."""

    mode: int
    digest: str


def state(folder: Path) -> dict[str, Entry]:
    """Every file and link below a folder, with mode and content."""
    found = {}
    for path in sorted(folder.rglob("*")):
        content = os.readlink(path).encode() if path.is_symlink() else b""
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        found[path.relative_to(folder).as_posix()] = Entry(path.lstat().st_mode, digest)
    return found


def processes_with(token: str) -> list[int]:
    """The living processes that have the token in their environment or on their command line."""
    running = (entry for entry in Path("/proc").iterdir() if entry.name.isdecimal())
    return [int(entry.name) for entry in running if _carries(entry, token.encode())]


def _carries(process: Path, token: bytes) -> bool:
    try:
        texts = process.joinpath("environ").read_bytes() + process.joinpath("cmdline").read_bytes()
        state_of = process.joinpath("stat").read_bytes().rpartition(b")")[2].split()[0]
    except OSError:
        return False
    return token in texts and state_of not in b"ZX" and process.name != str(os.getpid())


def eventually(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Whether a condition comes true within a generous time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
