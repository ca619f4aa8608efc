"""Blank lines: what a judgement becomes when empty lines come and go, as they do before each new statement.

Nothing is analysed for that: what was found stands where it stood, so many lines further up or down.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol

from devfix.analysis.language.template_strings import WITH_EXPRESSIONS
from devfix.analysis.text.nodes_below import below
from devfix.findings import FileEdit, Finding, Fix, Note, Span
from devfix.judgement import Judgement
from devfix.project import Program
from devfix.source import Source

#: Larger programs may come to the end of their budget, which is measured in lines.
_LARGE = 1_000_000


def judgement_after(before: Program, judgement: Judgement, after: Program) -> Judgement | None:
    """What the rules say of ``after``, where it differs from ``before`` by blank lines in one file; None elsewhere."""
    changed = [path for path, source in after.sources.items() if source is not before.sources.get(path)]
    if len(changed) != 1 or before.sources.keys() != after.sources.keys() or before.targets != after.targets:
        return None
    if before.layout.packages != after.layout.packages:
        return None
    if sum(len(source.text) for source in after.sources.values()) > _LARGE:
        return None
    path = changed[0]
    shift = _shift_between(before.sources[path], after.sources[path])
    if shift is None:
        return None
    places = [span for finding in judgement.findings for span in _spans(finding, path)]
    if any(map(shift.parts, [*places, *(span for where, span in judgement.idle if where == path)])):
        return None
    return moved_judgement(judgement, shift)


class Moves(Protocol):
    """Where lines are now."""

    def moved(self, path: str, span: Span) -> Span:
        """Where a span is now."""
        ...


def moved_judgement(judgement: Judgement, shift: Moves) -> Judgement:
    """A judgement of a text whose lines are elsewhere now."""
    return replace(
        judgement,
        findings=tuple(_moved_finding(finding, shift) for finding in judgement.findings),
        idle=frozenset((where, shift.moved(where, span)) for where, span in judgement.idle),
    )


@dataclass(frozen=True)
class _Shift:
    """The lines of a file after ``first`` moved by ``distance``, but for blank ones up to ``last``, which are gone."""

    path: str
    first: int
    last: int
    distance: int

    def parts(self, span: Span) -> bool:
        """Whether blank lines came or went within a span."""
        return span.line <= self.last and span.end_line > self.first

    def moved(self, path: str, span: Span) -> Span:
        """Where a span is now."""
        if path != self.path or span.line <= self.first:
            return span
        return replace(span, line=span.line + self.distance, end_line=span.end_line + self.distance)


def _shift_between(before: Source, after: Source) -> _Shift | None:
    """How lines moved, where two texts differ by blank lines that are in no string."""
    if before.notebook is not None or after.notebook is not None:
        return None
    old, new = before.lines, after.lines
    shorter = min(len(old), len(new))
    first = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    rest = next((n for n in range(shorter - first) if old[-1 - n] != new[-1 - n]), shorter - first)
    last = len(old) - rest
    if any(line.strip() for line in (*old[first:last], *new[first : len(new) - rest])):
        return None
    if any(_parts_text(source.tree, first, len(source.lines) - rest) for source in (before, after)):
        return None
    return _Shift(before.path, first, last, len(new) - len(old))


def _parts_text(tree: ast.Module, first: int, last: int) -> bool:
    """Whether a string begins in the first lines and ends after them: what is between is a part of it."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        begin, end = getattr(node, "lineno", 0), getattr(node, "end_lineno", None) or last + 1
        if begin > last or end <= first:
            continue
        if isinstance(node, WITH_EXPRESSIONS) or (isinstance(node, ast.Constant) and begin != end):
            return True
        pending += below(node)
    return False


def _spans(finding: Finding, path: str) -> list[Span]:
    """The places in a file that a finding and its fixes name."""
    fixes = [finding.fix, *finding.alternatives]
    edits = [edit for fix in fixes if fix is not None for edit in fix.edits if edit.path == path]
    found = [note.span for note in (*finding.notes, *finding.marks) if note.path == path]
    found += [part for edit in edits for part in _parts(edit.edit).values()]
    own = [finding.span, finding.focus] if finding.path == path else []
    return [*found, *(span for span in own if span is not None)]


def _parts(edit: Any) -> dict[str, Span]:
    """The fields of an edit that are places."""
    values = {each.name: getattr(edit, each.name) for each in fields(edit)}
    return {name: value for name, value in values.items() if isinstance(value, Span)}


def _moved_finding(finding: Finding, shift: Moves) -> Finding:
    return replace(
        finding,
        span=shift.moved(finding.path, finding.span),
        focus=None if finding.focus is None else shift.moved(finding.path, finding.focus),
        notes=tuple(_moved_note(note, shift) for note in finding.notes),
        marks=tuple(_moved_note(note, shift) for note in finding.marks),
        fix=None if finding.fix is None else _moved_fix(finding.fix, shift),
        alternatives=tuple(_moved_fix(fix, shift) for fix in finding.alternatives),
    )


def _moved_note(note: Note, shift: Moves) -> Note:
    return replace(note, span=shift.moved(note.path, note.span))


def _moved_fix(fix: Fix, shift: Moves) -> Fix:
    return replace(fix, edits=tuple(_moved_edit(edit, shift) for edit in fix.edits))


def _moved_edit(edit: FileEdit, shift: Moves) -> FileEdit:
    moved: dict[str, Any] = {name: shift.moved(edit.path, span) for name, span in _parts(edit.edit).items()}
    return replace(edit, edit=replace(edit.edit, **moved))
