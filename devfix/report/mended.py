"""Mended: what fixes were made, finding by finding."""

from __future__ import annotations

from collections.abc import Iterator

from devfix.file_report import FileReport
from devfix.findings import Finding, Span
from devfix.report.cells import in_cells
from devfix.report.paint import Paint
from devfix.report.results import Results


def fixes_made(results: Results, paint: Paint) -> Iterator[str]:
    """Each changed file with its fixed findings, where they stood before."""
    for report in results.reports:
        if report.mended:
            yield f"- {paint('bold', report.path)}"
            yield from (
                f"    {_fix(finding, report, results, paint)}"
                for finding in sorted(report.mended, key=_place)
            )


def _place(finding: Finding) -> tuple[Span, str]:
    return finding.span, finding.code


def _fix(finding: Finding, report: FileReport, results: Results, paint: Paint) -> str:
    shown = in_cells(finding, results.cell_span_before)
    place = f"{shown.path.removeprefix(report.path).lstrip(':')}:".lstrip(":")
    title = "fixed with the others" if finding.fix is None else finding.fix.title
    where = f"{place}{shown.span.line}:{shown.span.column + 1}"
    return f"{where} {paint('red', finding.code)} {paint('dim', finding.rule)}: {title}"
