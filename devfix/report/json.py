"""JSON: a run as data, for other programs."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import Any

from devfix.file_report import Crash, FileReport, Skipped
from devfix.findings import FileEdit, Finding, Fix, Note, Span
from devfix.report.cells import Place
from devfix.report.locations import posix
from devfix.report.results import Results
from devfix.report.view import View

#: Raised when a key changes its meaning or goes; new keys do not raise it.
SCHEMA_VERSION = 1


def render_json(results: Results, view: View) -> str:
    """One object: a list of files with their findings, and the counts."""
    document: dict[str, Any] = {
        "version": SCHEMA_VERSION,
        "files": [_file(report, results) for report in results.reports],
        "rule_packs": [asdict(fault) for fault in results.pack_faults],
        "summary": summary_data(results),
    }
    if results.timing is not None:
        document["timing"] = results.timing.data()
    return json.dumps(document, indent=2) + "\n"


def summary_data(results: Results) -> dict[str, Any]:
    """The counts of a run."""
    return {
        "findings": len(results.findings),
        "fixed": len(results.fixed),
        "uncovered": results.uncovered,
        "changed_files": len(results.changed),
        "suppressed": results.suppressed,
        "unfinished": sum(bool(report.unfinished) for report in results.reports),
        "skipped": len(results.skipped),
        "crashed": len(results.crashes),
        "hidden_fixes": {code: count for (code, _), count in sorted(results.hidden().items())},
        "exit_code": results.exit_code,
    }


def _file(report: FileReport, results: Results) -> dict[str, Any]:
    return {
        "path": posix(report.path),
        "findings": [finding_data(finding, results.cell_span) for finding in report.findings],
        "fixed": [finding_data(finding, results.cell_span_before) for finding in report.mended],
        "changed": report.new_text is not None,
        "suppressed": report.suppressed,
        "unfinished": list(report.unfinished),
        "skipped": None if report.skipped is None else fault_data(report.skipped),
        "crash": None if report.crash is None else fault_data(report.crash),
    }


def fault_data(fault: Skipped | Crash) -> dict[str, Any]:
    """What was not looked at, or what devfix failed on, as plain data."""
    data = {**asdict(fault), "path": posix(fault.path)}
    data.pop("text", None)  # the line is in the file
    return data


def _no_cells(_path: str, span: Span) -> tuple[int | None, Span]:
    return None, span


def finding_data(finding: Finding, place: Place = _no_cells) -> dict[str, Any]:
    """A finding as plain data; in a notebook ``cell`` counts the code cells from 1, and lines are those of the cell."""
    return {
        "code": finding.code,
        "rule": finding.rule,
        "message": finding.message,
        **_located(finding.path, finding.span, place),
        "marks": [_note(mark, place) for mark in finding.marks],
        "notes": [_note(note, place) for note in finding.notes],
        "fix": None if finding.fix is None else _fix(finding.fix, place),
        "alternatives": [_fix(fix, place) for fix in finding.alternatives],
    }


def _fix(fix: Fix, place: Place) -> dict[str, Any]:
    edits = [_edit(item, place) for item in fix.edits]
    return {"title": fix.title, "applicability": fix.applicability.name.lower(), "edits": edits}


def _edit(item: FileEdit, place: Place) -> dict[str, Any]:
    """An edit; a statement that moves may have its new place in another cell."""
    values = {field.name: getattr(item.edit, field.name) for field in fields(item.edit)}
    data = {"path": posix(item.path), "kind": type(item.edit).__name__, **values}
    for name, value in values.items():
        if isinstance(value, Span):
            cell, span = place(item.path, value)
            data[name] = asdict(span) if cell is None else {"cell": cell, **asdict(span)}
    return data


def _note(note: Note, place: Place) -> dict[str, Any]:
    return {**_located(note.path, note.span, place), "text": note.text}


def _located(path: str, span: Span, place: Place) -> dict[str, Any]:
    """Lines from 1 and columns from 0, in code points."""
    cell, inside = place(path, span)
    return {"path": posix(path), "cell": cell, "span": asdict(inside)}
