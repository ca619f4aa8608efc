"""Buffers: open documents as the analysis sees them, half typed or not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from devfix.file_report import Skipped
from devfix.findings import Finding, Note, Span
from devfix.project import Scanned, scanned
from devfix.source import Source, check_syntax

_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True)
class Buffer:
    """An open document: its text, and the last state of it that could be parsed.

    While a line is being typed the program keeps the state before it, so that nothing else flickers.
    """

    path: str
    text: str
    revision: int
    good: Scanned | Skipped

    @property
    def is_current(self) -> bool:
        """Whether what is analysed is the text itself."""
        return isinstance(self.good, Scanned) and self.good.source.text == _analysable(self.text)


#: Reads a text that takes the place of another, or of none, in some quicker way, where there is one.
Follow = Callable[["Buffer | None", Source], "Scanned | None"]


def next_buffer(
    before: Buffer | None, path: str, texts: Sequence[str], revision: int, follow: Follow
) -> Buffer:
    """The buffer after it had some texts, one after the other; the newest that can be parsed is analysed."""
    text = texts[-1]
    if before is not None and before.text == text and len(texts) == 1:
        return replace(before, revision=revision)
    found = [_read(before, Source(path, _analysable(text)), follow)]
    for each in reversed(texts[:-1]):
        if isinstance(found[-1], Scanned):
            break
        found.append(_read(before, Source(path, _analysable(each)), follow))
    if isinstance(found[-1], Scanned):
        return Buffer(path, text, revision, found[-1])
    return Buffer(path, text, revision, found[0] if before is None else before.good)


def _read(before: Buffer | None, source: Source, follow: Follow) -> Scanned | Skipped:
    if before is not None and isinstance(before.good, Scanned) and before.good.source.text == source.text:
        return before.good
    followed = follow(before, source)
    if followed is not None:
        return followed
    found = check_syntax(source)
    return scanned(found) if isinstance(found, Source) else found


def _analysable(text: str) -> str:
    """The text without a byte order mark, which Python takes in files alone; a form feed keeps its place."""
    return f"\f{text[1:]}" if text.startswith(_BYTE_ORDER_MARK) else text


def carried_over(findings: tuple[Finding, ...], path: str, before: str, after: str) -> Iterator[Finding]:
    """The findings in a text whose lines stand as they were in another text, without their fixes."""
    old, new = Source(path, before).lines, Source(path, after).lines
    same_before = _common(old, new)
    same_after = min(_common(old[::-1], new[::-1]), len(old) - same_before, len(new) - same_before)
    shift = Shift(path, same_before, len(old) - same_after, len(new) - len(old))
    for finding in findings:
        span = shift.moved(path, finding.span)
        if span is not None:
            marks, notes = shift.moved_notes(finding.marks), shift.moved_notes(finding.notes)
            focus = finding.focus and shift.moved(path, finding.focus)
            yield replace(
                finding, span=span, marks=marks, notes=notes, fix=None, alternatives=(), focus=focus
            )


def _common(old: list[str], new: list[str]) -> int:
    number = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        number += 1
    return number


@dataclass(frozen=True)
class Shift:
    """How lines of a file moved: those up to ``first`` not at all, those after ``last`` by ``distance``."""

    path: str
    first: int
    last: int
    distance: int

    def moved(self, path: str, span: Span) -> Span | None:
        """Where a span is now, if its lines are still there."""
        if path != self.path or span.end_line <= self.first:
            return span
        if span.line <= self.last:
            return None
        return Span(span.line + self.distance, span.column, span.end_line + self.distance, span.end_column)

    def moved_notes(self, notes: tuple[Note, ...]) -> tuple[Note, ...]:
        """The notes whose places are still there."""
        places = ((note, self.moved(note.path, note.span)) for note in notes)
        return tuple(replace(note, span=span) for note, span in places if span is not None)
