"""HTML: a run as one page that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from devfix import __version__
from devfix.findings import Applicability, Finding, Fix, Note, Span
from devfix.report.lines import changed_lines
from devfix.report.page_style import SCRIPT, STYLE
from devfix.report.replacements import changes
from devfix.report.results import Results
from devfix.report.severity import severity_of
from devfix.report.statistics import counts
from devfix.report.summary import summary
from devfix.report.view import View

_TRUST = {
    Applicability.SAFE: "safe fix",
    Applicability.UNSAFE: "unsafe fix",
    Applicability.DISPLAY: "advice",
}


def render_html(results: Results, view: View) -> str:
    """The whole page."""
    body = "\n".join(_body(results, view))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>devfix report</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head>\n<body>\n{body}\n"
        f"<footer>devfix {escape(__version__)}</footer>\n<script>{SCRIPT}</script>\n</body></html>\n"
    )


def _body(results: Results, view: View) -> Iterator[str]:
    yield "<h1>devfix report</h1>"
    yield from (f"<p>{_marked_up(line)}</p>" for line in summary(results, View()))
    yield from _faults(results)
    if results.findings:
        yield from _table(results)
        yield "<h2>Findings</h2>"
        for report in results.reports:
            if report.findings:
                yield f"<h3>{_text(report.path)}</h3>"
                yield from (_finding(finding, results, view) for finding in report.findings)
    if results.fixed:
        yield f"<h2>{'Fixed' if results.written else 'Would be fixed'}</h2>"
        yield from (_fixed(finding, results) for finding in results.fixed)


def _faults(results: Results) -> Iterator[str]:
    yield from (f"<p class=error>{_text(str(fault))}</p>" for fault in results.pack_faults)
    if results.crashes:
        yield "<h2>Crashes</h2><p>A crash is a defect of devfix, not of your code.</p><ul>"
        for crash in results.crashes:
            trace = f"<pre>{_text(crash.traceback)}</pre>" if crash.traceback else ""
            yield f"<li class=error><code>{_text(crash.path)}</code> {_text(crash.message)}{trace}</li>"
        yield "</ul>"
    if results.skipped:
        yield "<h2>Not looked at</h2><ul>"
        for skipped in results.skipped:
            kind = "error" if skipped.fault else "note"
            yield f"<li class={kind}><code>{_text(skipped.path)}</code> {_text(skipped.reason)}</li>"
        yield "</ul>"


def _table(results: Results) -> Iterator[str]:
    yield "<table><tr><th>rule<th>name<th class=number>findings<th class=number>safe fixes<th class=number>unsafe fixes</tr>"
    for count in counts(results):
        numbers = "".join(
            f"<td class=number>{number}" for number in (count.findings, count.safe, count.unsafe)
        )
        yield (
            f'<tr><td><label><input type=checkbox checked value="{_text(count.code)}"> {_text(count.code)}</label>'
            f"<td>{_text(count.name)}{numbers}</tr>"
        )
    yield "</table>"


def _finding(finding: Finding, results: Results, view: View) -> str:
    shown = results.shown(finding)
    severity = severity_of(finding, view).value
    marks = (f"<li>{_place(mark)} {_marked_up(mark.text)}</li>" for mark in shown.marks if mark.text)
    notes = "".join([*marks, *(_note(note, results) for note in shown.notes)])
    fix = "" if finding.fix is None else _fix(finding.fix, results, view)
    return (
        f'<section class={severity} data-rule="{_text(finding.code)}"><p>{_place(shown)} '
        f"<b>{_text(finding.code)}</b> <i>{_text(finding.rule)}</i></p><p>{_marked_up(finding.message)}</p>"
        f"{_excerpt(shown, results)}{f'<ul>{notes}</ul>' if notes else ''}{fix}</section>"
    )


def _fixed(finding: Finding, results: Results) -> str:
    cell, span = results.cell_span_before(finding.path, finding.span)
    where = finding.path if cell is None else f"{finding.path}, cell {cell}"
    title = "fixed with the others" if finding.fix is None else _marked_up(finding.fix.title)
    place = f"<code>{_text(where)}:{span.line}:{span.column + 1}</code>"
    return f"<p>{place} <b>{_text(finding.code)}</b> <i>{_text(finding.rule)}</i>: {title}</p>"


def _place(place: Finding | Note) -> str:
    return f"<code>{_text(place.path)}:{place.span.line}:{place.span.column + 1}</code>"


def _note(note: Note, results: Results) -> str:
    lines = results.lines(note.path)
    code = lines[note.span.line - 1].strip() if note.span.line <= len(lines) else ""
    return f"<li>{_place(note)} {_marked_up(note.text)}<br><code class=quiet>{_text(code)}</code></li>"


def _excerpt(finding: Finding, results: Results) -> str:
    """The marked lines of the finding's file."""
    lines = results.lines(finding.path)
    marks = [mark for mark in finding.marks if mark.path == finding.path]
    if not any(mark.span.line == finding.span.line for mark in marks):
        marks.append(Note(finding.path, finding.span, ""))
    numbers = sorted({mark.span.line for mark in marks if mark.span.line <= len(lines)})
    shown = [
        f"<span class=line>{number:>5}</span> "
        + _marked(lines[number - 1].rstrip("\r\n"), [mark for mark in marks if mark.span.line == number])
        for number in numbers
    ]
    return f"<pre>{chr(10).join(shown)}</pre>" if shown else ""


def _marked(line: str, marks: list[Note]) -> str:
    """A line with its marks; of those that overlap the first is shown."""
    parts, at = [], 0
    for mark in sorted(marks, key=lambda mark: mark.span):
        first, last = mark.span.column, _end(mark.span, line)
        if first >= at:
            label = f'<mark title="{_text(mark.text)}">' if mark.text else "<mark>"
            parts += [_text(line[at:first]), label, _text(line[first:last]), "</mark>"]
            at = last
    return "".join([*parts, _text(line[at:])])


def _end(span: Span, line: str) -> int:
    return span.end_column if span.end_line == span.line else len(line)


def _fix(fix: Fix, results: Results, view: View) -> str:
    heading = f"{_TRUST[fix.applicability]}: {_marked_up(fix.title)}"
    diff = "".join(
        f"<div class=quiet>{_text(change.label)}</div><pre>{_diff(change.before, change.after)}</pre>"
        for change in changes(fix, results.source, view)
    )
    return f"<details><summary>{heading}</summary>{diff}</details>" if diff else f"<p>{heading}</p>"


def _diff(before: str, after: str) -> str:
    kinds = {"-": "del", "+": "ins"}
    return "\n".join(
        f"<{kinds[line[0]]}>{_text(line)}</{kinds[line[0]]}>" if line[0] in kinds else _text(line)
        for line in changed_lines(before, after)
    )


def _marked_up(text: str) -> str:
    """A message, with what stands between backquotes as code."""
    return "".join(
        f"<code>{_text(part)}</code>" if number % 2 else _text(part)
        for number, part in enumerate(text.split("`"))
    )


def _text(text: str) -> str:
    # What is no character, as names of files can hold, cannot be encoded.
    return escape(text.encode("utf-8", "replace").decode())
