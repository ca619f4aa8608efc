"""JUnit: a test suite for each file, with a test that fails for each finding."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from devfix.file_report import FileReport
from devfix.findings import Finding
from devfix.report.locations import posix
from devfix.report.results import Results
from devfix.report.view import View

#: What XML 1.0 cannot hold, however it is written.
_IMPOSSIBLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_junit(results: Results, view: View) -> str:
    """The whole document."""
    suites = ET.Element("testsuites", name="devfix")
    counts = {"tests": 0, "failures": 0, "errors": 0}
    for suite in _suites(results):
        for name in counts:
            counts[name] += int(suite.attrib[name])
        suites.append(suite)
    suites.attrib.update({name: str(count) for name, count in counts.items()})
    ET.indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(suites, encoding="unicode")}\n'


def _suites(results: Results) -> Iterator[ET.Element]:
    for report in results.reports:
        path = posix(report.path)
        suite = _suite(path, list(_cases(report, results)) or [_case(path, "no findings")])
        suite.attrib["file"] = _clean(path)
        yield suite
    if results.pack_faults:
        name = "rule packs"
        yield _suite(
            name, [_case(name, each.pack, "error", "rule-pack", str(each)) for each in results.pack_faults]
        )


def _suite(name: str, cases: list[ET.Element]) -> ET.Element:
    outcomes = [case[0].tag if len(case) else "" for case in cases]
    suite = ET.Element(
        "testsuite",
        name=_clean(name),
        tests=str(len(cases)),
        failures=str(outcomes.count("failure")),
        errors=str(outcomes.count("error")),
        skipped=str(outcomes.count("skipped")),
    )
    suite.extend(cases)
    return suite


def _cases(report: FileReport, results: Results) -> Iterator[ET.Element]:
    path = posix(report.path)
    for finding in report.findings:
        yield _finding(path, results.shown(finding))
    if report.skipped is not None:
        kind = "error" if report.skipped.fault else "skipped"
        message = f"{report.path} {report.skipped.reason}"
        yield _case(path, "skipped", kind, "skipped", message)
    if report.crash is not None:
        crash = report.crash
        yield _case(path, "crash", "error", "crash", f"devfix crashed: {crash.message}", crash.traceback)


def _finding(path: str, finding: Finding) -> ET.Element:
    place = f"{posix(finding.path)}:{finding.span.line}:{finding.span.column + 1}"
    notes = [
        f"{posix(note.path)}:{note.span.line}:{note.span.column + 1}: {note.text}" for note in finding.notes
    ]
    name = f"{finding.code} {finding.rule} ({finding.span.line}:{finding.span.column + 1})"
    text = "\n".join([f"{place}: {finding.code} {finding.message}", *notes])
    return _case(path, name, "failure", finding.code, finding.message, text)


def _case(
    path: str, name: str, outcome: str = "", kind: str = "", message: str = "", text: str = ""
) -> ET.Element:
    case = ET.Element("testcase", name=_clean(name), classname=_clean(path))
    if outcome:
        child = ET.SubElement(case, outcome, type=kind, message=_clean(message))
        child.text = _clean(text) or None
    return case


def _clean(text: str) -> str:
    return _IMPOSSIBLE.sub("\ufffd", text)
