"""Replacements: what a fix writes, as pieces of text that take the place of others."""

from __future__ import annotations

import io
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

from devfix.differences import differences
from devfix.findings import Edit, Fix, ReplaceComment, Span
from devfix.report.cells import cell_label
from devfix.report.results import Results
from devfix.report.view import View
from devfix.source import Source

#: The file at a path, where it is known.
SourceOf = Callable[[str], Source | None]


class Replacement(NamedTuple):
    """``text`` takes the place of ``span`` in a file as it is stored."""

    span: Span
    text: str


class Change(NamedTuple):
    """What a fix makes of a file, or of a cell of a notebook."""

    label: str
    before: str
    after: str


def replacements(fix: Fix, results: Results, view: View) -> dict[str, list[Replacement]]:
    """What a fix alone would write, file by file; nothing where it cannot be told."""
    return {
        source.path: _replacements(source.file_text(), source.file_text(text))
        for source, text in _changed(fix, results.source, view)
    }


def changes(fix: Fix, source_of: SourceOf, view: View) -> list[Change]:
    """The same for people: texts before and after, of notebooks cell by cell."""
    return [change for source, text in _changed(fix, source_of, view) for change in _readable(source, text)]


def _readable(source: Source, text: str) -> Iterator[Change]:
    if source.notebook is None:
        yield Change(source.path, source.text, text)
        return
    before, after = (source.notebook.layout(each).texts for each in (source.text, text))
    for number, (old, new) in enumerate(zip(before, after, strict=True), 1):
        if old != new:
            yield Change(cell_label(source.path, number), old, new)


def _changed(fix: Fix, source_of: SourceOf, view: View) -> list[tuple[Source, str]]:
    """The files that a fix changes, with their new texts; nothing where it cannot be told: half of a fix is none."""
    edits: defaultdict[str, list[Edit | ReplaceComment]] = defaultdict(list)
    for item in fix.edits:
        edits[item.path].append(item.edit)
    found = []
    for path, items in edits.items():
        source = source_of(path)
        after = None if source is None or view.edited is None else view.edited(source.text, items)
        if source is None or after is None:
            return []
        if source.notebook is not None and source.notebook.fault(after) is not None:
            return []
        found.append((source, after))
    return found


def _replacements(before: str, after: str) -> list[Replacement]:
    starts = [0]
    for line in io.StringIO(before, newline=""):
        starts.append(starts[-1] + len(line))
    if before and not before.endswith(("\n", "\r")):
        starts.pop()

    def position(offset: int) -> tuple[int, int]:
        row = bisect_right(starts, offset)
        return row, offset - starts[row - 1]

    return [
        Replacement(Span(*position(start), *position(end)), text)
        for start, end, text in differences(before, after)
    ]
