"""Box: a copy of a folder, with a home and a place for temporary files, in which commands run."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from devfix.sandbox.enclosure import Command, Isolation, Places
from devfix.sandbox.ending import Ending
from devfix.sandbox.environment import MARK, Homes, child_environment, make_home
from devfix.sandbox.limits import MIB, Limits
from devfix.sandbox.replica import Replica
from devfix.sandbox.supervision import SandboxError, strongest_isolation, supervise

#: How much of a folder is copied at most.
MAX_COPY = 1024 * MIB


@dataclass(frozen=True)
class Box:
    """The copy of ``original`` in ``folder``.

    Where the system allows, the program sees the copy at the original's own path, and everything else
    is read-only. Elsewhere it runs in the copy under the copy's path.
    """

    original: Path
    folder: Path
    isolation: Isolation
    mark: str
    network: bool = False

    @property
    def results(self) -> Path:
        """A folder outside of the copy that the program can write to and devfix reads."""
        return self.folder / "results"

    @property
    def copy(self) -> Path:
        """The copy as devfix sees it."""
        return self.folder / "copy"

    @property
    def _in_place(self) -> bool:
        return self.isolation.files

    @property
    def _homes(self) -> Homes:
        # A private one is mounted there.
        temporary = Path("/tmp") if self._in_place else self.folder / "temporary"  # noqa: S108 - see above
        home = Path(os.path.realpath(os.path.expanduser("~")))
        return Homes(home, self.folder / "home", temporary, self._in_place)

    def inside(self, path: Path) -> Path:
        """Where the program finds what lies at ``path`` for the user."""
        if self._in_place or not path.is_relative_to(self.original):
            return path
        return self.copy / path.relative_to(self.original)

    def outside(self, path: Path) -> Path:
        """Where the user finds what lies at ``path`` for the program."""
        if self._in_place or not path.is_relative_to(self.copy):
            return path
        return self.original / path.relative_to(self.copy)

    def write(self, path: Path, data: bytes) -> None:
        """Give a file other content; ``path`` is the user's. Raises ValueError when the copy does not hold it."""
        place = self.copy / path.relative_to(self.original)
        if not Path(os.path.realpath(place.parent)).is_relative_to(self.copy):
            raise ValueError(f"{path} leads outside of {self.original}")
        with contextlib.suppress(FileNotFoundError):
            # Never through a link.
            place.unlink()
        place.write_bytes(data)

    def run(
        self, arguments: Sequence[str], folder: Path, limits: Limits, changes: Mapping[str, str] | None = None
    ) -> Ending:
        """Run a command in ``folder`` (the user's path of it) until it ends, or has to.

        ``changes`` are variables of the environment. Raises SandboxError when it cannot be started.
        """
        environment = child_environment(
            os.environ, self._homes, {MARK: self.mark, **(changes or {})}, offline=not self.network
        )
        command = Command(list(arguments), str(self.inside(folder)), environment)
        names = {name: str(self.folder / name) for name in ("copy", "view", "others", "temporary")}
        places = Places(original=str(self.original), box=str(self.folder), **names)
        return supervise(self.isolation, places, command, limits)

    def fill(self, max_copy: int) -> None:
        """Make the folders and the copy; raises TooLargeError."""
        for name in ("view", "others", "temporary", "results"):
            (self.folder / name).mkdir()
        shown = self.folder / "view" if self._in_place else None
        replica = Replica(self.original, max_copy, shown)
        replica.plan()
        replica.make(self.copy)
        make_home(self._homes)


@contextlib.contextmanager
def boxed(
    original: Path, isolation: Isolation | None = None, *, max_copy: int = MAX_COPY, network: bool = False
) -> Iterator[Box]:
    """A copy of a folder to run programs in; afterwards nothing of it is left. Raises TooLargeError."""
    isolation = strongest_isolation() if isolation is None else isolation
    if network:
        isolation = isolation.with_network()
    original = Path(os.path.realpath(original))
    folder = Path(tempfile.mkdtemp(prefix="devfix-box-", dir=_place_outside(original)))
    box = Box(original, folder, isolation, secrets.token_hex(8), network)
    try:
        box.fill(max_copy)
        yield box
    finally:
        remove(folder)


def _place_outside(original: Path) -> str:
    """A folder for temporary files that is no part of ``original``: a copy must not hold itself."""
    for place in (tempfile.gettempdir(), "/tmp", "/var/tmp", str(original.parent)):  # noqa: S108 - mkdtemp follows
        found = Path(os.path.realpath(place))
        if found.is_dir() and os.access(found, os.W_OK) and not found.is_relative_to(original):
            return str(found)
    raise SandboxError(f"there is no place for a copy outside of {original}")


def remove(folder: Path) -> None:
    """Delete a folder, also where a program took its own rights to parts of it away."""
    shutil.rmtree(folder, ignore_errors=True)
    if not folder.exists():
        return
    for below, names, _ in os.walk(folder):
        for name in (below, *(os.path.join(below, each) for each in names)):
            with contextlib.suppress(OSError):
                if not os.path.islink(name):
                    os.chmod(name, stat.S_IRWXU)
    shutil.rmtree(folder, ignore_errors=True)
