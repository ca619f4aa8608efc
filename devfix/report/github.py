"""GitHub: findings as commands of a workflow, which show them beside the lines of a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from devfix.findings import Finding
from devfix.report.locations import Root, StoredPlaces, repository_root
from devfix.report.paint import printable
from devfix.report.results import Results
from devfix.report.severity import Severity, severity_of
from devfix.report.view import View

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render_github(results: Results, view: View) -> str:
    """A command for each finding, each file that was not looked at, and each crash."""
    root, places = Root(repository_root()), StoredPlaces(results)
    lines = [_finding(finding, results, view, root, places) for finding in results.findings]
    lines.extend(_faults(results, root))
    return "".join(line + "\n" for line in lines)


def _finding(finding: Finding, results: Results, view: View, root: Root, places: StoredPlaces) -> str:
    stored, shown = places.span(finding.path, finding.span), results.shown(finding)
    place = {"line": stored.line, "endLine": stored.end_line}
    if stored.line == stored.end_line:
        # Columns are only taken within one line.
        place |= {"col": stored.column + 1, "endColumn": max(stored.end_column, stored.column + 1)}
    text = f"{printable(shown.path)}:{shown.span.line}:{shown.span.column + 1}: {finding.code} {printable(finding.message)}"
    title = f"devfix ({finding.code} {finding.rule})"
    return _command(_COMMANDS[severity_of(finding, view)], root.path(finding.path), title, text, place)


def _faults(results: Results, root: Root) -> Iterator[str]:
    for skipped in results.skipped:
        level = "error" if skipped.fault else "notice"
        text = f"{printable(skipped.path)} {skipped.reason}"
        place = {} if skipped.line is None else {"line": skipped.line}
        if skipped.column is not None:
            place["col"] = skipped.column + 1
        yield _command(level, root.path(skipped.path), "devfix (skipped)", text, place)
    for crash in results.crashes:
        text = f"{printable(crash.path)}: {crash.message}"
        yield _command("error", root.path(crash.path), "devfix (crash)", text, {})
    for fault in results.pack_faults:
        yield f"::error title=devfix (rule pack)::{_data(str(fault))}"


def _command(level: str, file: str, title: str, text: str, place: dict[str, int]) -> str:
    properties = {"title": title, "file": file, **place}
    listed = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{level} {listed}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
