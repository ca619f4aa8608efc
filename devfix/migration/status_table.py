"""Status table: where a campaign stands, for a terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from devfix.migration.progress import printable
from devfix.migration.reading import CampaignReading, RepositoryReading, Standing
from devfix.report.paint import Paint
from devfix.report.summary import count_of

_STYLES = {
    Standing.CHANGED: "green",
    Standing.SKIPPED: "yellow",
    Standing.FAILED: "red",
    Standing.TRANSIENT: "red",
}
_HEADER = ("repository", "standing", "fixed", "left", "files", "verify", "prove", "")
#: A reason is cut there; `export` has all of it.
_WIDEST = 100


def render_status(reading: CampaignReading, paint: Paint) -> str:
    """A row for each repository, and the counts."""
    rows = [_row(each) for each in reading.repositories]
    widths = [max(len(row[column]) for row in [_HEADER, *rows]) for column in range(len(_HEADER))]
    lines = [paint("bold", _line(_HEADER, widths))]
    for each, row in zip(reading.repositories, rows, strict=True):
        style = _STYLES.get(each.standing)
        text = _line(row, widths)
        lines.append(paint(style, text) if style else text)
    lines += ["", *_summary(reading)]
    return "".join(line + "\n" for line in lines)


def _row(each: RepositoryReading) -> tuple[str, ...]:
    reason = each.pull_request + (" " if each.pull_request and each.reason else "") + each.reason
    proven = ", ".join(f"{count} {verdict}" for verdict, count in each.proven.items())
    files = str(len(each.changed_files) or "")
    name = printable(each.name)
    return (
        name,
        each.standing.value,
        str(each.fixed or ""),
        str(each.left or ""),
        files,
        each.verified,
        proven,
        _cut(reason),
    )


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()


def _cut(text: str) -> str:
    line = printable(text)
    return line if len(line) <= _WIDEST else line[: _WIDEST - 1] + "…"


def _summary(reading: CampaignReading) -> Iterator[str]:
    counts = ", ".join(f"{count} {standing.value}" for standing, count in reading.standings.items())
    yield f"{reading.name}: {count_of(len(reading.repositories), 'repository', 'repositories')}: {counts}"
    if reading.runs:
        _, started, ended, ending = reading.runs[-1]
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(started))
        took = f" after {ended - started:.0f} s" if ended is not None else " or still going on"
        yield f"run {len(reading.runs)} began {when}, {ending}{took}"
