"""File report: what became of one file of a run. Findings, files that were not looked at and defects of devfix are kept apart.

As :mod:`devfix.findings` it is plain data, which crosses borders.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from devfix.findings import Finding


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was not looked at, and why; ``fault`` when the reason is an error (exit 2).

    It shows at ``line`` and ``column``, as far as these are known; ``text`` is that line, unless nobody would read it.
    """

    path: str
    reason: str
    fault: bool = True
    line: int | None = None
    column: int | None = None
    text: str | None = None

    @property
    def reason_there(self) -> str:
        """Why, for somebody who is told the line already."""
        return self.reason.replace(f" in line {self.line}:", ":", 1)


@dataclass(frozen=True, slots=True)
class Crash:
    """A defect of devfix itself: the file is left alone, the run goes on, the exit code is 2."""

    path: str
    message: str
    traceback: str


#: Among the names of functions, what a file does when it is run.
RUN = "<module>"


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file: its findings, or why there are none.

    ``fixed`` are the findings whose fixes were made, ``also_fixed`` those that went with them, and ``uncovered`` tells how
    many of ``fixed`` were not there at first: they showed once others were fixed.
    ``new_text`` is that of its source, which makes a file of it: of a notebook it is the program. ``unfinished`` names the
    functions in which more may be wrong, since the analysis ended before; :data:`RUN` stands for the file's own run.
    """

    path: str
    findings: tuple[Finding, ...] = ()
    fixed: tuple[Finding, ...] = ()
    also_fixed: tuple[Finding, ...] = ()
    uncovered: int = 0
    new_text: str | None = None
    skipped: Skipped | None = None
    crash: Crash | None = None
    suppressed: int = field(default=0)
    unfinished: tuple[str, ...] = ()

    @property
    def mended(self) -> tuple[Finding, ...]:
        """All that is wrong no more: what was fixed, and what went with it."""
        return (*self.fixed, *self.also_fixed)
