"""Summary: a run in a few lines, with everything that is not shown counted and named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from devfix.file_report import RUN, FileReport
from devfix.findings import Applicability
from devfix.report.mended import fixes_made
from devfix.report.paint import printable
from devfix.report.results import Results
from devfix.report.view import View

#: So many files, and functions of each, are named.
_FILES, _FUNCTIONS = 3, 3


def summary(results: Results, view: View) -> Iterator[str]:
    """What was found or fixed, what stays hidden, and what was passed over; in a quiet view nothing but fixes that were asked for."""
    if not view.quiet:
        yield _fixed(results) if results.applying else _found(results)
    if view.show_fixes:
        yield from fixes_made(results, view.paint)
    if not view.quiet:
        yield from _unsaid(results)


def _unsaid(results: Results) -> Iterator[str]:
    """What stays hidden, was passed over or not come to the end of."""
    hidden = results.hidden()
    if hidden:
        rules = ", ".join(f"{count} {code} {name}" for (code, name), count in sorted(hidden.items()))
        yield f"Not applied without --unsafe: {count_of(sum(hidden.values()), 'fix', 'fixes')} ({rules})."
    passed_over = list(_passed_over(results))
    if passed_over:
        yield f"Passed over: {', '.join(passed_over)}."
    unfinished = [report for report in results.reports if report.unfinished]
    if unfinished:
        yield f"Not analysed to the end, so that more may be wrong: {_listed(map(_unfinished, unfinished), _FILES, '; ')}."


def _unfinished(report: FileReport) -> str:
    """A file, and the functions of it that were not analysed to the end."""
    names = [f"`{name}`" for name in report.unfinished if name != RUN]
    own = ["its own run"] if RUN in report.unfinished else []
    return f"{printable(report.path)} ({_listed([*own, *names], _FUNCTIONS, ', ')})"


def _listed(items: Iterable[str], most: int, separator: str) -> str:
    """Some of the items, and how many more there are."""
    found = list(items)
    more = [f"{len(found) - most} more"] if len(found) > most else []
    return separator.join([*found[:most], *more])


def count_of(number: int, one: str, many: str | None = None) -> str:
    """``number`` with its noun."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def _found(results: Results) -> str:
    number = len(results.findings)
    if not number:
        looked_at = len(results.reports) - len(results.skipped)
        if not looked_at and results.has_faults:
            return "Nothing was checked."
        return f"No findings in {count_of(looked_at, 'file')}."
    files = len({finding.path for finding in results.findings})
    text = f"Found {count_of(number, 'finding')} in {count_of(files, 'file')}"
    safe = results.fixable(Applicability.SAFE)
    return f"{text}; `devfix apply` fixes {safe}." if safe else f"{text}."


def _fixed(results: Results) -> str:
    verb = "Fixed" if results.written else "Would fix"
    number = len(results.fixed)
    text = f"{verb} {count_of(number, 'finding')} in {_where(results)}" if number else _nothing(results)
    if results.uncovered:
        text += f", {results.uncovered} of them uncovered by the other fixes"
    left = len(results.findings)
    return f"{text}; {count_of(left, 'finding remains', 'findings remain')}." if left else f"{text}."


def _nothing(results: Results) -> str:
    """That nothing was fixed; where a file could not be read or written there may have been something to fix."""
    return "Nothing was fixed" if results.has_faults else "Nothing to fix"


def _where(results: Results) -> str:
    """In how many files something was fixed, and how many were changed for it, where these are others."""
    fixed = {report.path for report in results.reports if report.mended}
    changed = {report.path for report in results.changed}
    by = f" by changing {count_of(len(changed), 'file')}" if changed != fixed else ""
    return f"{count_of(len(fixed), 'file')}{by}"


def _passed_over(results: Results) -> Iterator[str]:
    if results.suppressed:
        yield count_of(results.suppressed, "suppressed finding")
    if results.skipped:
        yield count_of(len(results.skipped), "skipped file")
    if results.crashes:
        yield count_of(len(results.crashes), "file that devfix crashed on", "files that devfix crashed on")
