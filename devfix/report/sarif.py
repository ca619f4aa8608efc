"""SARIF 2.1.0: a run for code scanning, with the places operands come from and what fixes would write."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from devfix import __version__
from devfix.file_report import Crash, Skipped
from devfix.findings import Applicability, Finding, Fix, Note, Span
from devfix.registry import Rule, page, summary
from devfix.report.catalogue import rule_markdown
from devfix.report.fingerprint import fingerprints
from devfix.report.locations import Root, StoredPlaces, file_uri, quoted, repository_root
from devfix.report.replacements import Replacement, replacements
from devfix.report.results import Results
from devfix.report.severity import severity_of, severity_of_rule
from devfix.report.view import View

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
#: What paths are told from; the name that code scanning services know.
_BASE = "%SRCROOT%"
#: What a consumer would take for a link to another part of the file.
_LINK = re.compile(r"\[(?=[^\]]*\]\()")
_NOTIFICATIONS = (
    ("skipped", "A file was not looked at."),
    ("crash", "devfix failed on a file; that is a defect of devfix."),
    ("rule-pack", "A rule of an installed pack did not run."),
)


def render_sarif(results: Results, view: View) -> str:
    """The whole log, of one run."""
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_Log(results, view).run]}
    return json.dumps(log, indent=2) + "\n"


@dataclass(frozen=True)
class _Log:
    """What goes into the log of one run."""

    results: Results
    view: View

    @property
    def run(self) -> dict[str, Any]:
        findings = self.results.findings
        known = fingerprints(findings, self.results, self._root)
        return {
            "tool": {"driver": self._driver},
            "invocations": [self._invocation],
            "originalUriBaseIds": {_BASE: {"uri": self._root.uri}},
            "columnKind": "unicodeCodePoints",
            "results": [self._result(*each) for each in zip(findings, known, strict=True)],
        }

    @cached_property
    def _root(self) -> Root:
        return Root(repository_root())

    @cached_property
    def _places(self) -> StoredPlaces:
        return StoredPlaces(self.results)

    @cached_property
    def _indices(self) -> dict[str, int]:
        return {rule.code: number for number, rule in enumerate(self.view.rules)}

    @property
    def _driver(self) -> dict[str, Any]:
        notifications = [{"id": name, "shortDescription": {"text": text}} for name, text in _NOTIFICATIONS]
        return {
            "name": "devfix",
            "semanticVersion": __version__,
            "rules": [_rule(rule) for rule in self.view.rules],
            "notifications": notifications,
        }

    @property
    def _invocation(self) -> dict[str, Any]:
        return {
            "executionSuccessful": not self.results.has_faults,
            "exitCode": self.results.exit_code,
            "toolExecutionNotifications": [
                *map(self._skipped, self.results.skipped),
                *map(self._crash, self.results.crashes),
                *(_notification(2, "error", str(fault)) for fault in self.results.pack_faults),
            ],
        }

    def _result(self, finding: Finding, fingerprint: str) -> dict[str, Any]:
        result: dict[str, Any] = {
            "ruleId": finding.code,
            "level": severity_of(finding, self.view).value,
            "message": {"text": _plain(finding.message)},
            "locations": [self._location(finding)],
            "partialFingerprints": {"devfixFinding/v1": fingerprint},
        }
        if finding.code in self._indices:
            result["ruleIndex"] = self._indices[finding.code]
        related = [self._related(number, note) for number, note in enumerate(_explaining(finding), 1)]
        if related:
            result["relatedLocations"] = related
        if finding.fix is not None:
            result["properties"] = {"applicability": finding.fix.applicability.name.lower()}
            fix = self._fix(finding.fix)
            if fix is not None:
                result["fixes"] = [fix]
        return result

    def _location(self, place: Finding | Note) -> dict[str, Any]:
        physical = {
            "artifactLocation": self._artifact(place.path),
            "region": _region(self._places.span(place.path, place.span)),
        }
        cell, inside = self.results.cell_span(place.path, place.span)
        if cell is None:
            return {"physicalLocation": physical}
        name = f"cell {cell}, line {inside.line}"
        return {"physicalLocation": physical, "logicalLocations": [{"name": name, "kind": "module"}]}

    def _related(self, number: int, note: Note) -> dict[str, Any]:
        return {"id": number, **self._location(note), "message": {"text": _plain(note.text)}}

    def _artifact(self, path: str) -> dict[str, str]:
        relative = self._root.relative(path)
        if relative is None:
            return {"uri": file_uri(path)}
        return {"uri": quoted(relative), "uriBaseId": _BASE}

    def _fix(self, fix: Fix) -> dict[str, Any] | None:
        """What ``apply`` would take; advice is none."""
        advice = fix.applicability == Applicability.DISPLAY
        changed = {} if advice else replacements(fix, self.results, self.view)
        if not any(changed.values()):
            return None
        unsafe = "" if fix.applicability == Applicability.SAFE else " (unsafe)"
        changes = [
            {"artifactLocation": self._artifact(path), "replacements": [*map(_replacement, parts)]}
            for path, parts in changed.items()
            if parts
        ]
        return {"description": {"text": _plain(fix.title + unsafe)}, "artifactChanges": changes}

    def _skipped(self, skipped: Skipped) -> dict[str, Any]:
        level = "error" if skipped.fault else "note"
        text = f"{skipped.path} {skipped.reason}"
        return self._of_file(skipped.path, _notification(0, level, text), _start(skipped))

    def _crash(self, crash: Crash) -> dict[str, Any]:
        told = self._of_file(crash.path, _notification(1, "error", f"{crash.path}: {crash.message}"))
        traceback = {"properties": {"traceback": crash.traceback}} if crash.traceback else {}
        return {**told, "exception": {"message": crash.message}, **traceback}

    def _of_file(
        self, path: str, notification: dict[str, Any], region: dict[str, int] | None = None
    ) -> dict[str, Any]:
        place: dict[str, Any] = {"artifactLocation": self._artifact(path)}
        if region:
            place["region"] = region
        return {**notification, "locations": [{"physicalLocation": place}]}


def _notification(index: int, level: str, text: str) -> dict[str, Any]:
    descriptor = {"id": _NOTIFICATIONS[index][0], "index": index}
    return {"descriptor": descriptor, "level": level, "message": {"text": _plain(text)}}


def _rule(rule: Rule) -> dict[str, Any]:
    level = severity_of_rule(rule.code, rule.applicability).value
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": _plain(rule.name)},
        "fullDescription": {"text": _plain(summary(rule))},
        "help": {"text": page(rule) or rule.name, "markdown": rule_markdown(rule)},
        "defaultConfiguration": {"level": level},
        "properties": {"applicability": rule.applicability.name.lower(), "tags": ["pytorch", "correctness"]},
    }


def _explaining(finding: Finding) -> Iterator[Note]:
    """The places that explain a finding, each once: its operands, and where they come from."""
    notes: Iterable[Note] = (*finding.marks, *finding.notes)
    yield from dict.fromkeys(note for note in notes if note.text)


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column + 1,
        "endLine": span.end_line,
        "endColumn": span.end_column + 1,
    }


def _start(skipped: Skipped) -> dict[str, int]:
    """Where a file could not be read on, as far as that is known."""
    region = {} if skipped.line is None else {"startLine": skipped.line}
    return region if skipped.column is None else {**region, "startColumn": skipped.column + 1}


def _replacement(part: Replacement) -> dict[str, Any]:
    return {"deletedRegion": _region(part.span), "insertedContent": {"text": part.text}}


def _plain(text: str) -> str:
    return _LINK.sub(r"\\[", text)
