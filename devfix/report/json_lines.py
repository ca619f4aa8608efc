"""JSON lines: a run as records, one a line, for programs that read them one by one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from devfix.report.json import fault_data, finding_data, summary_data
from devfix.report.locations import posix
from devfix.report.results import Results
from devfix.report.view import View


def render_json_lines(results: Results, view: View) -> str:
    """A record for each finding, each fixed one, each file that was not looked at, or not to the end, and each crash;
    then the counts.
    """
    return "".join(json.dumps(record) + "\n" for record in _records(results))


def _records(results: Results) -> Iterator[dict[str, Any]]:
    for report in results.reports:
        for finding in report.mended:
            yield {"kind": "fixed", **finding_data(finding, results.cell_span_before)}
        for finding in report.findings:
            yield {"kind": "finding", **finding_data(finding, results.cell_span)}
        if report.unfinished:
            yield {"kind": "unfinished", "path": posix(report.path), "functions": list(report.unfinished)}
        if report.skipped is not None:
            yield {"kind": "skipped", **fault_data(report.skipped)}
        if report.crash is not None:
            yield {"kind": "crash", **fault_data(report.crash)}
    for fault in results.pack_faults:
        yield {"kind": "rule-pack", **asdict(fault)}
    yield {"kind": "summary", **summary_data(results)}
