"""Faults: what a rule has to say of single mismatches, and how that becomes few findings.

One cause shows at many sinks (a model that was never moved breaks in each of its layers), and one
sink fails in many ways. What is mended by the same edits is one finding; so is what says the same
at the same place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from devfix.findings import (
    Finding,
    Fix,
    Mismatch,
    Note,
    Origin,
    ReplaceExpression,
    SetKeyword,
    Span,
    WrapExpression,
)
from devfix.placement.blaming.causes import misplaced
from devfix.placement.blaming.wording import focus, life, named, operand_marks

#: Edits that make an expression another one: two of them at one place are one too many.
_CHANGES = (ReplaceExpression, SetKeyword, WrapExpression)
#: More places than this are counted, not listed.
_MAX_PLACES = 3
#: More fixes than this are not tried in the place of all: each takes an analysis, and there may be one for each call.
_MAX_ALONE = 3


@dataclass(frozen=True, slots=True)
class Fault:
    """One mismatch in the words of one rule; ``at`` is where it comes from, else it is the sink."""

    mismatch: Mismatch
    message: str
    fixes: tuple[Fix, ...] = ()
    at: Origin | None = None

    @property
    def finding(self) -> Finding:
        """The fault as a finding of a rule yet to be named."""
        at, mismatch = self.at, self.mismatch
        path, span = (at.path, at.span) if at is not None else (mismatch.path, mismatch.sink)
        return Finding(
            path,
            span,
            "",
            "",
            self.message,
            notes=life(mismatch),
            marks=operand_marks(mismatch),
            fix=self.fixes[0] if self.fixes else None,
            alternatives=self.fixes[1:],
            focus=focus(mismatch, path, span),
        )


def merged(faults: Iterable[Fault], code: str, rule: str) -> Iterator[Finding]:
    """The findings that faults amount to, in the order of the faults."""
    groups: dict[object, list[Fault]] = {}
    for fault in faults:
        groups.setdefault(_cause(fault), []).append(fault)
    same: dict[tuple[str, Span, str], list[Finding]] = {}
    of_paths: set[tuple[str, Span, str]] = set()
    for group in groups.values():
        found = replace(_of_group(group), code=code, rule=rule)
        key = (found.path, found.span, found.message)
        same.setdefault(key, []).append(found)
        if group[0].mismatch.get("paths") is not None:
            of_paths.add(key)
    for place, findings in same.items():
        yield _joined(findings, on_paths=place in of_paths) if len(findings) > 1 else findings[0]


def _cause(fault: Fault) -> object:
    """What faults of one cause share: the edits that mend them, else where they come from."""
    if fault.fixes:
        return frozenset(fault.fixes[0].edits)
    if fault.at is not None:
        return (fault.at.path, fault.at.span, fault.message)
    return (fault.mismatch.path, fault.mismatch.sink, fault.message)


def _of_group(group: list[Fault]) -> Finding:
    """The first fault of a group; the places where it shows too become notes."""
    first = group[0].finding
    seen = {_start(first.path, first.span), _start(group[0].mismatch.path, group[0].mismatch.sink)}
    places = []
    for fault in group:
        mismatch = fault.mismatch
        start = _start(mismatch.path, mismatch.sink)
        if start not in seen:  # a part of an expression is at the same place as the whole
            seen.add(start)
            what = f"{_met(fault, group[0])} meets the accelerator here, too"
            places.append(Note(mismatch.path, mismatch.sink, what))
    if len(places) > _MAX_PLACES:
        last = places[_MAX_PLACES - 1]
        more = len(places) - _MAX_PLACES
        others = f"{more} more place{'s' * (more > 1)}"
        places[_MAX_PLACES - 1 :] = [replace(last, text=f"{last.text}, and in {others}")]
    return replace(first, notes=tuple(dict.fromkeys((*first.notes, *places))))


def _start(path: str, span: Span) -> tuple[str, int, int]:
    return (path, span.line, span.column)


def _met(fault: Fault, first: Fault) -> str:
    """What a fault is about, after the first of its group: the same thing, or another that the same edits mend."""
    operand, told = misplaced(fault.mismatch), misplaced(first.mismatch)
    if fault.at is not None or operand is None or told is None or operand.text == told.text:
        return "it"
    return named(fault.mismatch, operand)


def _joined(findings: list[Finding], *, on_paths: bool) -> Finding:
    """Findings that say the same of one place as one, mended by the edits of all.

    Where each is of a path of its own, the edits of one do nothing for the others.
    """
    notes = tuple(dict.fromkeys(note for each in findings for note in each.notes))
    ways = [_fixes(each) for each in findings]
    if not all(ways):
        return replace(findings[0], notes=notes, fix=None, alternatives=())
    whole, *others = (_all([_at(fixes, i) for fixes in ways]) for i in range(max(map(len, ways))))
    edits = set(whole.edits)
    # One may do for the others as well, as a move in the function does that all come to.
    alone = () if on_paths else dict.fromkeys(fixes[0] for fixes in ways if set(fixes[0].edits) < edits)
    few = islice(alone, _MAX_ALONE)
    return replace(findings[0], notes=notes, fix=whole, alternatives=tuple(dict.fromkeys((*others, *few))))


def _all(fixes: list[Fix]) -> Fix:
    """What all of some fixes do. There may be one for each call of a function: no more is done for one than it adds."""
    found, targets = fixes[0], set(_targets(fixes[0]))
    edits = dict.fromkeys(found.edits)
    for other in fixes[1:]:
        changed = _targets(other)
        if changed and changed == targets:  # two ways to change the same expressions
            if len(other.edits) < len(edits):
                found, edits = other, dict.fromkeys(other.edits)
            continue
        edits.update(dict.fromkeys(other.edits))
        targets |= changed
        title, least = found.title, min(found.applicability, other.applicability)
        found = Fix(title, (), least, max(found.turn, other.turn))
    return replace(found, edits=tuple(edits))


def _targets(fix: Fix) -> frozenset[tuple[str, Span]]:
    """The expressions that a fix changes."""
    return frozenset((each.path, each.edit.span) for each in fix.edits if isinstance(each.edit, _CHANGES))


def _at(fixes: tuple[Fix, ...], index: int) -> Fix:
    return fixes[min(index, len(fixes) - 1)]


def _fixes(finding: Finding) -> tuple[Fix, ...]:
    return () if finding.fix is None else (finding.fix, *finding.alternatives)
