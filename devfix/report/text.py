"""Text: findings for people to read, with their source and where each operand came from."""

from __future__ import annotations

from collections.abc import Iterator

from devfix.findings import Applicability, Finding, Note
from devfix.report.excerpt import excerpt
from devfix.report.paint import Paint, printable
from devfix.report.results import Results
from devfix.report.summary import summary
from devfix.report.view import View

_LABELS = {
    Applicability.SAFE: "safe fix",
    Applicability.UNSAFE: "unsafe fix: --unsafe",
    Applicability.DISPLAY: "advice",
}
_COLOURS = {Applicability.SAFE: "green", Applicability.UNSAFE: "yellow", Applicability.DISPLAY: "cyan"}


def render_text(results: Results, view: View) -> str:
    """Every finding with its source lines, then the summary, unless that is unwanted."""
    shown = map(results.shown, results.findings)
    blocks = ["\n".join(_finding(finding, results, view.paint)) for finding in shown]
    parts = [*blocks, "\n".join(summary(results, view))]
    return "\n\n".join(part for part in parts if part) + "\n" * any(parts)


def heading(finding: Finding, paint: Paint) -> str:
    """``path:line:column: CODE name message``, with the column counted from 1."""
    place = _place(finding.path, finding, paint)
    return f"{place}: {paint('red', finding.code)} {paint('dim', finding.rule)} {printable(finding.message)}"


def _place(path: str, finding: Finding | Note, paint: Paint) -> str:
    return f"{paint('bold', printable(path))}:{finding.span.line}:{finding.span.column + 1}"


def _finding(finding: Finding, results: Results, paint: Paint) -> Iterator[str]:
    yield heading(finding, paint)
    marks = [mark for mark in finding.marks if mark.path == finding.path]
    if not any(mark.span.line == finding.span.line for mark in marks):
        marks.append(Note(finding.path, finding.span, ""))
    yield from excerpt(results.lines(finding.path), marks, paint)
    elsewhere = [mark for mark in finding.marks if mark.path != finding.path]
    shown = {(mark.path, mark.span.line) for mark in marks}
    for note in (*elsewhere, *finding.notes):
        yield _note(note, finding, results, paint, is_shown=(note.path, note.span.line) in shown)
        shown.add((note.path, note.span.line))
    if finding.fix is not None:
        yield f"  {_label(finding.fix.applicability, paint)} {finding.fix.title}"


def _note(note: Note, finding: Finding, results: Results, paint: Paint, *, is_shown: bool) -> str:
    """What a note says, and the line it speaks of unless that ``is_shown`` above."""
    if (note.path, note.span) == (finding.path, finding.span):
        return f"  = {printable(note.text)}"
    lines = results.lines(note.path)
    code = lines[note.span.line - 1].strip() if note.span.line <= len(lines) and not is_shown else ""
    shown = f"  {paint('dim', printable(code))}" if code else ""
    return f"  = {_place(note.path, note, paint)}: {printable(note.text)}{shown}"


def tag(finding: Finding, paint: Paint) -> str:
    """What a finding on one line ends with: how far its fix can be trusted."""
    return f" {_label(finding.fix.applicability, paint)}" if finding.fix else ""


def _label(applicability: Applicability, paint: Paint) -> str:
    return paint(_COLOURS[applicability], f"[{_LABELS[applicability]}]")
