"""GitLab: a code quality report, which merge requests show."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from devfix.findings import Finding, Note
from devfix.report.fingerprint import fingerprints
from devfix.report.locations import Root, StoredPlaces, repository_root
from devfix.report.results import Results
from devfix.report.severity import Severity, severity_of
from devfix.report.view import View

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}


def render_gitlab(results: Results, view: View) -> str:
    """A list of issues: findings, files that were not looked at, and crashes."""
    root, places = Root(repository_root()), StoredPlaces(results)
    told = zip(results.findings, fingerprints(results.findings, results, root), strict=True)
    issues = [_finding(finding, fingerprint, view, root, places) for finding, fingerprint in told]
    issues.extend(_faults(results, root))
    return json.dumps(issues, indent=2) + "\n"


def _finding(
    finding: Finding, fingerprint: str, view: View, root: Root, places: StoredPlaces
) -> dict[str, Any]:
    return {
        **_issue(f"{finding.code}: {finding.message}", finding.rule, fingerprint),
        "severity": _SEVERITIES[severity_of(finding, view)],
        "location": _location(finding, root, places),
        "other_locations": [_location(note, root, places) for note in finding.notes],
    }


def _faults(results: Results, root: Root) -> Iterator[dict[str, Any]]:
    for skipped in results.skipped:
        text = f"{skipped.path} {skipped.reason}"
        severity = "critical" if skipped.fault else "info"
        yield _fault(text, "skipped", severity, root.path(skipped.path), skipped.line or 1)
    for crash in results.crashes:
        yield _fault(f"{crash.path}: {crash.message}", "crash", "blocker", root.path(crash.path))


def _fault(text: str, kind: str, severity: str, path: str, line: int = 1) -> dict[str, Any]:
    fingerprint = hashlib.sha256(f"{kind}\0{path}".encode(errors="surrogateescape")).hexdigest()[:32]
    location = {"path": path, "lines": {"begin": line}}
    return {**_issue(text, f"devfix-{kind}", fingerprint), "severity": severity, "location": location}


def _issue(text: str, check: str, fingerprint: str) -> dict[str, Any]:
    return {
        "type": "issue",
        "description": text,
        "check_name": check,
        "categories": ["Bug Risk"],
        "fingerprint": fingerprint,
    }


def _location(place: Finding | Note, root: Root, places: StoredPlaces) -> dict[str, Any]:
    span = places.span(place.path, place.span)
    return {"path": root.path(place.path), "lines": {"begin": span.line, "end": span.end_line}}
