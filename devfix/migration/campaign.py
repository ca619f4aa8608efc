"""Campaign: what is to be done, to which repositories, and within which limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from devfix.migration.source_name import Source

#: What a repository's owner puts into it to be left alone.
OPT_OUT = ".devfix-skip"
MESSAGE = (
    "Fix device and dtype mismatches\n\n"
    "Fixed by devfix {version}: {findings} (in files: {files})\nRules: {rules}"
)


class CampaignError(Exception):
    """A campaign that makes no sense; the message says where."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Times are seconds, sizes bytes; a ``memory`` of 0 stands for most of the machine's."""

    fetch: float = 600.0
    analysis: float = 600.0
    verify: float = 900.0
    prove: float = 300.0
    memory: int = 0
    repository: int = 2 * 2**30


@dataclass(frozen=True, slots=True)
class Repository:
    """One repository and what is asked of it."""

    source: Source
    name: str
    revision: str = ""
    verify: str = ""
    prove: str = ""
    exclude_files: tuple[str, ...] = ()
    pull_requests: str = ""

    @property
    def key(self) -> str:
        """What it is known by in the state."""
        return self.source.key

    @property
    def folder_name(self) -> str:
        """What the folder of its files is called."""
        name = self.source.parts[-1]
        return name if name not in (".", "..") else "repository"


@dataclass(frozen=True, slots=True)
class Campaign:
    """A campaign file as it was understood.

    ``place`` is the folder beside the file that holds the state, the patches and the page.
    """

    name: str
    place: Path
    branch: str
    repositories: tuple[Repository, ...]
    message: str = MESSAGE
    author: str = ""
    title: str = ""
    adopt: bool = False
    unsafe: bool = False
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    device_policy: str = ""
    network: bool = False
    depth: int = 1
    concurrency: int = 0
    engine: str = "local"
    opt_out: str = OPT_OUT
    pull_requests_per_hour: float = 30.0
    limits: Limits = field(default_factory=Limits)
    left_out: tuple[str, ...] = ()
    #: Where keys stand in the file, for what only shows later.
    lines: tuple[tuple[str, str], ...] = ()

    @property
    def state(self) -> Path:
        """The file with what was done."""
        return self.place / "state.db"

    @property
    def patches(self) -> Path:
        """The folder of the patches."""
        return self.place / "patches"

    def where(self, key: str) -> str:
        """The place of a key of ``[campaign]``, for messages."""
        return dict(self.lines).get(key, str(self.place))
