"""Mended: what ``devfix run --fix`` did, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from devfix.discovery import short_path
from devfix.findings import Finding
from devfix.observation.record import ObservedMismatch, ObservedOperand
from devfix.report.cells import in_cells
from devfix.report.paint import Paint
from devfix.report.summary import count_of
from devfix.report.text import heading
from devfix.running import account as words
from devfix.running.by_hand import IsOwn, to_do
from devfix.running.cells import with_cells
from devfix.running.mending import Mending
from devfix.running.text import lines_of_mismatch

_WITNESSES = {"analysis": "found by the analysis", "run": "seen in a run"}
_VERDICTS = {
    "clean": "No run shows anything to fix.",
    "fixed": "The program runs through.",
    "still-fails": "The program still fails.",
    "changed-result": "Nothing is changed.",
    "cannot-run": "The program fails for reasons of its own.",
}
#: The verdicts with which nothing is left to say.
_WELL = frozenset({"clean", "fixed"})


def render_mending(mending: Mending, paint: Paint, *, quiet: bool = False) -> str:
    """Every fix with who found the fault, what is left, and the verdict; with ``quiet`` nothing where all is well."""
    left = ["\n".join(_left(mending, mismatch, paint)) for mismatch in _mismatches(mending)]
    if quiet and mending.verdict in _WELL:
        return "".join(f"{block}\n" for block in left)
    blocks = left if quiet else [*_fixes(mending, paint), *left]
    return "\n".join([*blocks, *_summary(mending)]) + "\n"


def _fixes(mending: Mending, paint: Paint) -> Iterator[str]:
    for each in mending.repair.end.mended:
        yield heading(in_cells(each.finding, mending.results.cell_span_before), paint)
        witness = _WITNESSES[each.witness]
        title = each.finding.fix.title.removesuffix(f" ({witness})") if each.finding.fix is not None else ""
        yield f"  {paint('green', 'fix')} ({witness}): {title}"


def _mismatches(mending: Mending) -> tuple[ObservedMismatch, ...]:
    record = mending.repair.end.trial.record
    mismatches = record.mismatches if record is not None else ()
    return with_cells(mismatches, mending.repair.end.program.sources)


def _left(mending: Mending, mismatch: ObservedMismatch, paint: Paint) -> Iterator[str]:
    yield from lines_of_mismatch(mismatch, paint, "left: ")
    yield from (f"  = to do: {text}" for text in to_do(mismatch, _is_own(mending)))


def _is_own(mending: Mending) -> IsOwn:
    sources = mending.repair.end.program.sources
    return lambda place: short_path(place.file) in sources


def _summary(mending: Mending) -> Iterator[str]:
    results = mending.results
    reason = mending.note if mending.verdict == "changed-result" else mending.repair.reason
    verdict = _VERDICTS[mending.verdict]
    yield f"{verdict[:-1]}: {reason}." if reason and mending.verdict != "fixed" else verdict
    if mending.verdict == "changed-result":
        yield "With --unsafe the fixes are made all the same."
    elif mending.note:
        yield f"Another fix is only made with --unsafe: with it, {mending.note}."
    if mending.repair.is_late:
        yield "More would have been tried, but the time was up (--total-timeout)."
    number = len(mending.repair.end.mended)
    if number and results.changed:
        verb = "Fixed" if results.written else "Would fix"
        files = count_of(len(results.changed), "file")
        yield f"{verb} {count_of(number, 'finding')} in {files}, tried in {count_of(mending.runs, 'run')}."


def render_mending_json(mending: Mending) -> str:
    """The same as JSON."""
    found: dict[str, Any] = {
        "format": 1,
        "verdict": mending.verdict,
        "reason": mending.note or mending.repair.reason,
        "runs": mending.runs,
        "out_of_time": mending.repair.is_late,
        "written": mending.results.written,
        "changed": [report.path for report in mending.results.changed],
        "fixed": [
            {**_fixed(mending, each.finding), "witness": each.witness} for each in mending.repair.end.mended
        ],
        "left": [
            {
                "kind": mismatch.kind,
                "operation": mismatch.operation,
                "message": words.error(mismatch),
                "place": words.where(mismatch.sink) if mismatch.sink is not None else None,
                "operands": [_operand(operand) for operand in words.operands(mismatch)],
                "to_do": list(to_do(mismatch, _is_own(mending))),
            }
            for mismatch in _mismatches(mending)
        ],
    }
    return json.dumps(found, indent=2) + "\n"


def _operand(operand: ObservedOperand) -> dict[str, Any]:
    return {
        "role": operand.role,
        "names": list(operand.paths),
        "device": operand.device,
        "dtype": operand.dtype,
        "blamed": operand.blamed,
        "made": [
            {"by": made.by, "place": words.where(made.place) if made.place is not None else None}
            for made in words.sources(operand)
        ],
    }


def _fixed(mending: Mending, finding: Finding) -> dict[str, Any]:
    cell, span = mending.results.cell_span_before(finding.path, finding.span)
    return {
        "code": finding.code,
        "rule": finding.rule,
        "path": finding.path,
        "cell": cell,
        "line": span.line,
        "column": span.column + 1,
        "message": finding.message,
        "fix": finding.fix.title if finding.fix is not None else None,
        "applicability": finding.fix.applicability.name.lower() if finding.fix else None,
    }
