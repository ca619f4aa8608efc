"""Messages: what the server asks of the process that does the work, and what it answers. Plain data.

Paths are absolute in everything but findings, whose paths are relative to the folder that ``Ready`` names.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from devfix.analysis.record.seen_values import Sight
from devfix.findings import Applicability, Finding

#: What a finding is known by: path, span, code and message are enough within one text.
Known = tuple[str, str, str, tuple[int, int, int, int]]


def known_by(finding: Finding) -> Known:
    """What tells a finding from the others of the same text."""
    span = finding.span
    return (finding.path, finding.code, finding.message, (*span.start, *span.end))


@dataclass(frozen=True, slots=True)
class Configure:
    """The folders of the workspace; everything is read anew."""

    folders: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Put:
    """An open document and its text, which counts instead of the file's."""

    path: str
    text: str
    revision: int


@dataclass(frozen=True, slots=True)
class Drop:
    """A document that was closed: the file counts again."""

    path: str


@dataclass(frozen=True, slots=True)
class Refresh:
    """Files changed, came or went; with ``contents_only`` none came or went, and the settings are the same."""

    contents_only: bool = False


@dataclass(frozen=True, slots=True)
class Check:
    """What is wrong in the program that a file belongs to."""

    path: str


@dataclass(frozen=True, slots=True)
class Prepare:
    """Read the whole folder that a file is in."""

    path: str


@dataclass(frozen=True, slots=True)
class See:
    """What the expressions of a file stand for."""

    path: str


@dataclass(frozen=True, slots=True)
class GetReady:
    """Somebody may type in a file next, or choose a fix."""

    path: str


@dataclass(frozen=True, slots=True)
class Mend:
    """What fixes make of the program of a file that has this revision.

    Of the finding ``known`` alone; or all of the file's, of the rule ``code`` if one is given.
    """

    path: str
    revision: int
    known: Known | None = None
    code: str | None = None
    wanted: Applicability = Applicability.SAFE


@dataclass(frozen=True, slots=True)
class MendAll:
    """What fixes make of all files of a folder, as if those at the paths ``without`` were not there."""

    folder: str
    wanted: Applicability = Applicability.SAFE
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleCard:
    """What the server tells of a rule: how it is explained in short, and the file with its page."""

    code: str
    name: str
    summary: str
    file: str


@dataclass(frozen=True, slots=True)
class Ready:
    """The process has begun its work in ``folder``; ``faults`` say which installed rules it does without."""

    folder: str
    rules: tuple[RuleCard, ...]
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileView:
    """What is known of one file of a program, in the revision it was open in (None: as it is on disk).

    ``stale`` findings are those of the last text that could be parsed, as far as their lines are still there.
    ``fault`` says why there are none, ``trace`` is that of a defect of devfix.
    """

    revision: int | None
    findings: tuple[Finding, ...] = ()
    stale: bool = False
    fault: str = ""
    trace: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """The files of a program; it is ``provisional`` while most of their folder has not been read."""

    views: dict[str, FileView] = field(default_factory=dict)
    provisional: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """The expressions of a file in one revision."""

    revision: int | None
    sights: tuple[Sight, ...] = ()


@dataclass(frozen=True, slots=True)
class NewText:
    """What a file was and what it becomes."""

    path: str
    revision: int | None
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Mended:
    """What changes; nothing when ``refusal`` says why not."""

    texts: tuple[NewText, ...] = ()
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """A request that came to nothing by a defect of devfix."""

    message: str
    trace: str


@dataclass(frozen=True, slots=True)
class Cancelled:
    """A request that nobody waits for any more."""


Request = Configure | Put | Drop | Refresh | Check | Prepare | GetReady | See | Mend | MendAll
Reply = Ready | Prepare | GetReady | Checked | Seen | Mended | Failed | Cancelled | None
