"""Contents: what a memory consists of, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from devfix.cache.signatures import Signature
from devfix.file_report import FileReport, Skipped
from devfix.imports import Import

Reports = tuple[FileReport, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """What the content of a file comes to without looking at other files: its imports, or why it is left out.

    Its ``late_bodies`` are those of functions that need not be parsed at once.
    """

    imports: tuple[Import, ...] = ()
    patterns: tuple[str, ...] = ()
    reason: str | None = None
    fault: bool = True
    line: int | None = None
    column: int | None = None
    text: str | None = None
    glanced: bool = False
    matters: bool = True
    late_bodies: str = ""


@dataclass(frozen=True, slots=True)
class Tree:
    """What a run saw of the file system, and what it found there.

    ``files`` has every file that was read, with its digest and signature; ``present`` and ``absent`` are the paths
    that were only asked for. ``programs`` has the reports by the program's key.
    """

    tool: str
    targets: tuple[str, ...] = ()
    passed_over: tuple[Skipped, ...] = ()
    roots: tuple[str, ...] = ()
    files: Mapping[str, tuple[str, Signature | None]] = field(default_factory=dict)
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    programs: Mapping[str, Reports] = field(default_factory=dict)
    unreadable: tuple[Skipped, ...] = ()
    settings: str = ""


@dataclass(frozen=True, slots=True)
class Past:
    """What helps when a tree has changed: what contents come to, and programs that were there some changes ago."""

    tool: str
    known: Mapping[str, Known] = field(default_factory=dict)
    programs: Mapping[str, tuple[int, Reports]] = field(default_factory=dict)
