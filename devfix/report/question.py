"""Question: one fix as it is shown to somebody who is to say whether it is made."""

from __future__ import annotations

from collections.abc import Iterator

from devfix.findings import Finding
from devfix.report.cells import in_cells
from devfix.report.lines import changed_lines
from devfix.report.replacements import SourceOf, changes
from devfix.report.text import heading, tag
from devfix.report.view import View

_COLOURS = {"-": "red", "+": "green", "@": "cyan"}


def render_question(finding: Finding, source_of: SourceOf, view: View) -> str:
    """What is wrong and what the fix would change."""
    return "".join(line + "\n" for line in _lines(finding, source_of, view))


def _lines(finding: Finding, source_of: SourceOf, view: View) -> Iterator[str]:
    paint = view.paint
    source = source_of(finding.path)
    shown = finding
    if source is not None:
        shown = in_cells(finding, lambda path, span: (source_of(path) or source).cell_span(span))
    yield heading(shown, paint)
    if finding.fix is None:
        return
    yield f" {tag(finding, paint)} {finding.fix.title}"
    for change in changes(finding.fix, source_of, view):
        yield paint("bold", f"--- {change.label}")
        for line in changed_lines(change.before, change.after):
            style = _COLOURS.get(line[:1])
            text = "".join(each if each.isprintable() or each == "\t" else "?" for each in line)
            yield paint(style, text) if style else text
