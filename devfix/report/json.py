"""JSON: a run as data, for other programs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from devfix.findings import FileReport, Finding, Fix, Note, Span
from devfix.report.results import Results

#: Raised when a key changes its meaning or goes; new keys do not raise it.
SCHEMA_VERSION = 1


def render_json(results: Results) -> str:
    """One object: a list of files with their findings, and the counts."""
    document = {
        "version": SCHEMA_VERSION,
        "files": [_file(report) for report in results.reports],
        "summary": _summary(results),
    }
    return json.dumps(document, indent=2) + "\n"


def _summary(results: Results) -> dict[str, Any]:
    return {
        "findings": len(results.findings),
        "fixed": len(results.fixed),
        "changed_files": len(results.changed),
        "suppressed": results.suppressed,
        "skipped": len(results.skipped),
        "crashed": len(results.crashes),
        "hidden_fixes": {code: count for (code, _), count in sorted(results.hidden().items())},
        "exit_code": results.exit_code,
    }


def _file(report: FileReport) -> dict[str, Any]:
    return {
        "path": report.path,
        "findings": [finding_data(finding) for finding in report.findings],
        "fixed": [finding_data(finding) for finding in report.fixed],
        "changed": report.new_text is not None,
        "suppressed": report.suppressed,
        "skipped": None if report.skipped is None else asdict(report.skipped),
        "crash": None if report.crash is None else asdict(report.crash),
    }


def finding_data(finding: Finding) -> dict[str, Any]:
    """A finding as plain data."""
    return {
        "code": finding.code,
        "rule": finding.rule,
        "message": finding.message,
        "path": finding.path,
        "span": _span(finding.span),
        "marks": [_note(mark) for mark in finding.marks],
        "notes": [_note(note) for note in finding.notes],
        "fix": None if finding.fix is None else _fix(finding.fix),
        "alternatives": [_fix(fix) for fix in finding.alternatives],
    }


def _fix(fix: Fix) -> dict[str, Any]:
    edits = [{"path": item.path, "kind": type(item.edit).__name__, **asdict(item.edit)} for item in fix.edits]
    return {"title": fix.title, "applicability": fix.applicability.name.lower(), "edits": edits}


def _note(note: Note) -> dict[str, Any]:
    return {"path": note.path, "span": _span(note.span), "text": note.text}


def _span(span: Span) -> dict[str, int]:
    """Lines from 1 and columns from 0, in code points."""
    return asdict(span)
