"""RDJSON: the format that reviewdog reads, with fixes as suggestions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from devfix.file_report import Skipped
from devfix.findings import Applicability, Finding, Fix, Span
from devfix.report.locations import StoredPlaces, posix
from devfix.report.replacements import Replacement, replacements
from devfix.report.results import Results
from devfix.report.severity import Severity, severity_of
from devfix.report.view import View

_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.NOTE: "INFO"}
#: A suggestion is one region: changes further apart than so many lines would make one that nobody can read.
_REACH = 10


def render_rdjson(results: Results, view: View) -> str:
    """One result of diagnostics: findings, files that were not looked at, and crashes."""
    places = StoredPlaces(results)
    diagnostics = [_finding(finding, results, view, places) for finding in results.findings]
    diagnostics.extend(_faults(results))
    document = {"source": {"name": "devfix"}, "diagnostics": diagnostics}
    return json.dumps(document, indent=2) + "\n"


def _finding(finding: Finding, results: Results, view: View, places: StoredPlaces) -> dict[str, Any]:
    lines = places.lines(finding.path)
    span = places.span(finding.path, finding.span)
    severity = _SEVERITIES[severity_of(finding, view)]
    diagnostic = _diagnostic(finding.message, finding.path, severity, finding.code)
    diagnostic["location"]["range"] = _range(span, lines)
    found = None if finding.fix is None else _suggestion(finding.fix, finding.path, results, view)
    if found is None:
        return diagnostic
    # One alone: each is offered by itself, and two ways to mend one fault are not to be taken both.
    return {**diagnostic, "suggestions": [{"range": _range(found.span, lines), "text": found.text}]}


def _faults(results: Results) -> Iterator[dict[str, Any]]:
    for skipped in results.skipped:
        severity = "ERROR" if skipped.fault else "INFO"
        diagnostic = _diagnostic(f"{skipped.path} {skipped.reason}", skipped.path, severity, "skipped")
        if skipped.line is not None:
            diagnostic["location"]["range"] = {"start": _start(skipped.line, skipped)}
        yield diagnostic
    for crash in results.crashes:
        yield _diagnostic(f"devfix crashed: {crash.message}", crash.path, "ERROR", "crash")


def _diagnostic(message: str, path: str, severity: str, code: str) -> dict[str, Any]:
    # reviewdog takes paths from the folder that it is called in, as devfix does.
    location: dict[str, Any] = {"path": posix(path)}
    return {"message": message, "location": location, "severity": severity, "code": {"value": code}}


def _suggestion(fix: Fix, path: str, results: Results, view: View) -> Replacement | None:
    """A fix as one replacement in the file of its finding: half of a fix is none."""
    if fix.applicability == Applicability.DISPLAY:
        return None
    changed = replacements(fix, results, view)
    parts = changed.get(path, [])
    if not parts or len(changed) > 1 or parts[-1].span.end_line - parts[0].span.line > _REACH:
        return None
    lines = StoredPlaces(results).lines(path)
    text = [parts[0].text]
    for before, after in pairwise(parts):
        text += [_between(lines, before.span, after.span), after.text]
    return Replacement(Span(*parts[0].span.start, *parts[-1].span.end), "".join(text))


def _between(lines: list[str], before: Span, after: Span) -> str:
    if before.end_line == after.line:
        return lines[after.line - 1][before.end_column : after.column]
    first = lines[before.end_line - 1][before.end_column :]
    last = lines[after.line - 1][: after.column]
    return "".join([first, *lines[before.end_line : after.line - 1], last])


def _range(span: Span, lines: list[str]) -> dict[str, Any]:
    return {
        "start": _position(span.line, span.column, lines),
        "end": _position(span.end_line, span.end_column, lines),
    }


def _position(line: int, column: int, lines: list[str]) -> dict[str, int]:
    text = lines[line - 1] if line <= len(lines) else ""
    return {"line": line, "column": _column(text, column)}


def _start(line: int, skipped: Skipped) -> dict[str, int]:
    if skipped.column is None or skipped.text is None:
        return {"line": line}
    return {"line": line, "column": _column(skipped.text, skipped.column)}


def _column(text: str, column: int) -> int:
    """Columns from 1, in bytes of UTF-8."""
    return len(text[:column].encode(errors="surrogatepass")) + 1
