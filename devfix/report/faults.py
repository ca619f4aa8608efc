"""Faults: what devfix did not look at and where it failed, for the error stream."""

from __future__ import annotations

from collections.abc import Iterator

from devfix.file_report import Crash, Skipped
from devfix.report.paint import Paint, printable
from devfix.report.results import Results


def render_faults(results: Results, paint: Paint) -> str:
    """A line for each skipped file or pack of rules, and each crash with its traceback once."""
    lines = [_skipped(skipped, paint) for skipped in results.skipped]
    lines.extend(f"{paint('red', 'error')}: {fault}" for fault in results.pack_faults)
    lines.extend(_crashes(results.crashes, paint))
    return "".join(line + "\n" for line in lines)


def _skipped(skipped: Skipped, paint: Paint) -> str:
    word = paint("red", "error") if skipped.fault else paint("yellow", "skipped")
    return f"{word}: {paint('bold', printable(skipped.path))} {printable(skipped.reason)}"


def _crashes(crashes: tuple[Crash, ...], paint: Paint) -> Iterator[str]:
    shown: set[str] = set()
    for crash in crashes:
        yield f"{paint('red', 'crash')}: {paint('bold', printable(crash.path))}: {printable(crash.message)}"
        if crash.traceback and crash.traceback not in shown:
            shown.add(crash.traceback)
            yield crash.traceback.rstrip()
    if crashes:
        yield "A crash is a defect of devfix (or of the rule pack it names), not of your code; please report it with the lines above."
