"""Fates: what became of a program's findings when its fixes were made, told in the lines that the program had before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from devfix.deeds import identity_of
from devfix.differences import lines_before
from devfix.findings import Finding, Note, Span
from devfix.project import Program
from devfix.states import State

#: What a finding is known by when another one is mended: its operands may be called otherwise then.
_Trace = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Fates:
    """The findings that are gone: those a fix was made for, those that went with them, and which of the first were not there at first."""

    fixed: tuple[Finding, ...]
    also_fixed: tuple[Finding, ...]
    uncovered: tuple[Finding, ...]


def fates(start: State, end: State, admitted: Iterable[Finding]) -> Fates:
    """What became of what was ``admitted`` at the start, and of what showed on the way to the end."""
    at_first = {_bare(finding) for finding in start.judgement.findings}
    places = _Places(start.program)
    kept = [
        (finding, home)
        for finding, home in zip(end.fixed, end.homes, strict=True)
        if _left(start, end, finding)
    ]
    made = [_bare(finding) for finding, _ in kept]
    fixed = tuple(
        finding if bare in at_first else places.told(finding, home)
        for (finding, home), bare in zip(kept, made, strict=True)
    )
    uncovered = tuple(told for told, bare in zip(fixed, made, strict=True) if bare not in at_first)
    known = set(made)
    others = [finding for finding in admitted if _bare(finding) not in known]
    return Fates(fixed, tuple(_gone(start.program, others, end)), uncovered)


def _left(start: State, end: State, finding: Finding) -> bool:
    """Whether a fix that was made may have left something: what did nothing was taken back, and its file is as it was."""
    paths = {change.path for change in (finding.fix.edits if finding.fix is not None else ())}
    return any(start.program.sources[path].text != end.program.sources[path].text for path in paths)


def _gone(program: Program, findings: Iterable[Finding], end: State) -> Iterable[Finding]:
    """The findings that are not there at the end, without fixes, since none of theirs was made."""
    left = Counter(_trace(end.program, finding) for finding in end.judgement.findings)
    for finding in findings:
        trace = _trace(program, finding)
        if left[trace]:
            left[trace] -= 1
        else:
            yield _bare(finding)


def _trace(program: Program, finding: Finding) -> _Trace:
    path, code, _, text, _ = identity_of(program, finding, 0)
    return path, code, text


def _bare(finding: Finding) -> Finding:
    return replace(finding, fix=None, alternatives=())


class _Places:
    """Where places of a later text were in the program as it was."""

    def __init__(self, before: Program) -> None:
        self._before = before
        self._lines: dict[tuple[str, str], Sequence[int]] = {}

    def told(self, finding: Finding, home: Program) -> Finding:
        """A finding of a later state of the program in the lines of the first."""
        marks, notes = (
            tuple(self._note(each, home) for each in notes) for notes in (finding.marks, finding.notes)
        )
        return replace(finding, span=self._span(finding.path, finding.span, home), marks=marks, notes=notes)

    def _note(self, note: Note, home: Program) -> Note:
        return replace(note, span=self._span(note.path, note.span, home))

    def _span(self, path: str, span: Span, home: Program) -> Span:
        if path not in home.sources or path not in self._before.sources:
            return span
        lines = self._of(path, home)
        first, last = (
            lines[min(line, len(lines)) - 1] if lines else line for line in (span.line, span.end_line)
        )
        return Span(first, span.column, max(first, last), span.end_column)

    def _of(self, path: str, home: Program) -> Sequence[int]:
        key = (path, home.sources[path].text)
        if key not in self._lines:
            self._lines[key] = lines_before(self._before.sources[path].lines, home.sources[path].lines)
        return self._lines[key]
