"""Faults: what devfix did not look at and where it failed, for the error stream."""

from __future__ import annotations

from collections.abc import Iterator

from devfix.file_report import Crash, Skipped
from devfix.findings import Note, Span
from devfix.report.excerpt import excerpt_of
from devfix.report.paint import Paint, printable
from devfix.report.results import Results


def render_faults(results: Results, paint: Paint, *, excerpts: bool = False) -> str:
    """A line for each skipped file or pack of rules, and each crash with its traceback once.

    With ``excerpts``, the line of source that a file cannot be read for follows.
    """
    lines: list[str] = []
    for skipped in results.skipped:
        lines.append(_skipped(skipped, paint))
        lines.extend(_excerpt(skipped, paint) if excerpts else ())
    lines.extend(f"{paint('red', 'error')}: {fault}" for fault in results.pack_faults)
    lines.extend(_crashes(results.crashes, paint))
    return "".join(line + "\n" for line in lines)


def _skipped(skipped: Skipped, paint: Paint) -> str:
    word = paint("red", "error") if skipped.fault else paint("yellow", "skipped")
    path = paint("bold", printable(skipped.path))
    if skipped.line is None:
        return f"{word}: {path} {printable(skipped.reason)}"
    column = "" if skipped.column is None else f":{skipped.column + 1}"
    return f"{path}:{skipped.line}{column}: {word}: {printable(skipped.reason_there)}"


def _excerpt(skipped: Skipped, paint: Paint) -> Iterator[str]:
    line, column, text = skipped.line, skipped.column, skipped.text
    if line is not None and column is not None and text is not None:
        mark = Note(skipped.path, Span(line, column, line, column + 1), "")
        yield from excerpt_of({line: text}, [mark], paint)


def _crashes(crashes: tuple[Crash, ...], paint: Paint) -> Iterator[str]:
    shown: set[str] = set()
    for crash in crashes:
        yield f"{paint('red', 'crash')}: {paint('bold', printable(crash.path))}: {printable(crash.message)}"
        if crash.traceback and crash.traceback not in shown:
            shown.add(crash.traceback)
            yield crash.traceback.rstrip()
    if crashes:
        yield "A crash is a defect of devfix (or of the rule pack it names), not of your code; please report it with the lines above."
