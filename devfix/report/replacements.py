"""Replacements: what a fix writes, as pieces of text that take the place of others."""

from __future__ import annotations

import io
from bisect import bisect_right
from collections import defaultdict
from typing import NamedTuple

from devfix.differences import differences
from devfix.findings import Edit, Fix, ReplaceComment, Span
from devfix.report.results import Results
from devfix.report.view import View


class Replacement(NamedTuple):
    """``text`` takes the place of ``span`` in a file as it is stored."""

    span: Span
    text: str


def replacements(fix: Fix, results: Results, view: View) -> dict[str, list[Replacement]]:
    """What a fix alone would write, file by file; nothing where it cannot be told."""
    texts = texts_after(fix, results, view)
    return {path: _replacements(before, after) for path, (before, after) in texts.items()}


def texts_after(fix: Fix, results: Results, view: View) -> dict[str, tuple[str, str]]:
    """The text of each file that a fix changes, as it is stored, before and after; nothing where it cannot be told."""
    edits: defaultdict[str, list[Edit | ReplaceComment]] = defaultdict(list)
    for item in fix.edits:
        edits[item.path].append(item.edit)
    found = {}
    for path, items in edits.items():
        source = results.source(path)
        after = None if source is None or view.edited is None else view.edited(source.text, items)
        if source is None or after is None:
            return {}
        if source.notebook is not None and source.notebook.fault(after) is not None:
            return {}
        found[path] = (source.file_text(), source.file_text(after))
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
