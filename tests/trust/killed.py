"""What ``devfix apply`` leaves of a folder when it is killed while it writes.

``python tests/trust/killed.py FOLDER [KILLS [SEED]]`` copies a package, adds a fault to each of its files, and applies the
fixes again and again, each time killed (SIGKILL) at another moment. Afterwards every file must be there and have its old
bytes or its new ones, and a run that is let be must finish the work and leave nothing else behind. It prints what was found.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

_FAULT = """

def _fault():
    import torch

    model = torch.nn.Linear(2, 2).cuda()
    return model(torch.ones(1, 2))


_fault()
"""
#: When runs are killed, in turn: at any moment, and soon after their first file was written or took its place.
_MOMENTS = ("any", "written", "placed", "written", "placed")
#: After so many kills a run is let be.
_ROUND = 10

Files = Mapping[Path, bytes]


@dataclass
class Account:
    """How the kills ended."""

    kills: int = 0
    #: By what the files were: all old, all new, or some of both.
    ends: dict[str, int] = field(default_factory=lambda: {"old": 0, "new": 0, "mixed": 0})
    with_leftovers: int = 0
    completed: int = 0
    torn: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @property
    def is_well(self) -> bool:
        """Whether no file was torn or lost, and each run that was let be finished the work."""
        return not (self.torn or self.lost or self.faults)

    def lines(self) -> list[str]:
        """The account for people."""
        return [
            f"kills: {self.kills}, of runs that ended before: {self.completed} more",
            f"files as they were: {self.ends['old']}, as they should become: {self.ends['new']}, some of both: {self.ends['mixed']}",
            f"with a temporary file left behind: {self.with_leftovers}",
            f"torn files: {len(self.torn)}, lost files: {len(self.lost)}, other faults: {len(self.faults)}",
            *self.torn,
            *self.lost,
            *self.faults,
        ]


def killed(package: Path, kills: int, seed: int = 1) -> Account:
    """Kill so many runs on a copy of a package."""
    account, chance = Account(), random.Random(seed)
    _load()
    with tempfile.TemporaryDirectory(prefix="devfix-killed-") as place:
        folder = Path(place) / package.name
        shutil.copytree(
            package, folder, ignore=lambda where, names: [n for n in names if _is_other(where, n)]
        )
        old = {path: path.read_bytes() + _FAULT.encode() for path in sorted(folder.rglob("*.py"))}
        _restore(folder, old)
        started = time.monotonic()
        os.waitpid(_apply(folder), 0)
        whole = time.monotonic() - started
        new = _files(folder)
        if any(new[path] == old[path] for path in old):
            account.faults.append("a run that is let be does not fix all files")
        while account.kills < kills and not account.faults:
            _restore(folder, old)
            _kill_one(folder, whole, chance, account)
            _examine(folder, old, new, account)
            if account.kills % _ROUND == 0:
                _finish(folder, new, account)
    return account


def _load() -> None:
    """Load what the runs need: they are forked."""
    import devfix.analysis
    import devfix.commands
    import devfix.rewrite  # noqa: F401
    from devfix.registry import load

    load()


def _is_other(where: str, name: str) -> bool:
    return not name.endswith(".py") and not os.path.isdir(os.path.join(where, name))


def _restore(folder: Path, files: Files) -> None:
    for path in set(_files(folder)) - set(files):
        path.unlink()
    for path, data in files.items():
        path.write_bytes(data)


def _files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _apply(folder: Path) -> int:
    """The process that applies the fixes of a folder, as the command does."""
    child = os.fork()
    if child:
        return child
    try:
        from devfix.cli import app

        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            sys.stdout = sys.stderr = nowhere
            app(["apply", "--no-cache", "--isolated", "--jobs", "1", str(folder)])
    finally:
        os._exit(0)


def _kill_one(folder: Path, whole: float, chance: random.Random, account: Account) -> None:
    child = _apply(folder)
    moment = _MOMENTS[(account.kills + account.completed) % len(_MOMENTS)]
    if moment == "any":
        time.sleep(chance.uniform(0, whole))
    else:
        _await(folder, child, placed=moment == "placed")
        time.sleep(chance.uniform(0, 0.1) * chance.random() ** 2)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        account.kills += 1
    else:
        account.completed += 1


def _await(folder: Path, child: int, *, placed: bool) -> None:
    """Return when a file waits to take the place of another, or has done so, or the process is over."""
    folders = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    before = _nodes(folder)
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        waiting = any(name.startswith(".devfix-") for each in folders for name in os.listdir(each))
        if waiting and (not placed or _nodes(folder) != before):
            return
        time.sleep(0.0002)


def _nodes(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_ino for path in folder.rglob("*.py")}


def _examine(folder: Path, old: Files, new: Files, account: Account) -> None:
    left = _files(folder)
    account.lost += [f"lost: {path.relative_to(folder)}" for path in old if path not in left]
    kinds = {
        path: data == new[path]
        for path, data in left.items()
        if path in old and data in (old[path], new[path])
    }
    account.torn += [
        f"torn: {path.relative_to(folder)}" for path in left if path in old and path not in kinds
    ]
    account.ends["mixed" if len(set(kinds.values())) > 1 else "new" if all(kinds.values()) else "old"] += 1
    account.with_leftovers += any(path not in old for path in left)
    strange = [path for path in left if path not in old and not path.name.startswith(".devfix-")]
    account.faults += [f"left behind: {path.relative_to(folder)}" for path in strange]


def _finish(folder: Path, new: Files, account: Account) -> None:
    """A run that is let be makes of what a kill has left what the first run made."""
    os.waitpid(_apply(folder), 0)
    if _files(folder) != new:
        account.faults.append(f"after {account.kills} kills the next run does not end as the first")


def main() -> int:
    """Print the account of the kills of one package."""
    package, numbers = Path(sys.argv[1]), [int(word) for word in sys.argv[2:]]
    account = killed(package, *(numbers or [200]))
    print("\n".join(account.lines()))
    return 0 if account.is_well else 1


if __name__ == "__main__":
    sys.exit(main())
