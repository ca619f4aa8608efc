"""Concise: every finding on a line."""

from __future__ import annotations

from devfix.report.results import Results
from devfix.report.summary import summary
from devfix.report.text import heading, tag
from devfix.report.view import View


def render_concise(results: Results, view: View) -> str:
    """Every finding on a line, then the summary, unless that is unwanted."""
    shown = map(results.shown, results.findings)
    lines = [heading(finding, view.paint) + tag(finding, view.paint) for finding in shown]
    return "".join(f"{line}\n" for line in [*lines, *summary(results, view)])
