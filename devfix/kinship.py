"""Kinship: whether findings tell of one fault, so that one fix may do for all of them.

They may where they go back to one place. Where code asks on which side a tensor is, as in ``if x.is_cuda:``, what was
left behind there leaves others behind.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from devfix.analysis.text.syntax import in_rows, remembered
from devfix.deeds import fixes_of
from devfix.findings import Applicability, Finding, Fix, Note

if TYPE_CHECKING:
    from devfix.source import Source

#: More findings than this are not tried one by one.
MOST = 8

Place = tuple[str, int]

#: How code asks on which side a tensor is.
_QUESTIONS = (".is_cuda", ".device.type")


def _are_few(findings: Sequence[Finding]) -> bool:
    return 1 < len(findings) <= MOST


def may_follow(findings: Sequence[Finding], sources: Mapping[str, Source]) -> bool:
    """Whether one of a few findings may follow from another, since a file with one asks where tensors are."""
    if not _are_few(findings):
        return False
    texts = [sources[path].text for path in {finding.path for finding in findings} if path in sources]
    return any(question in text for text in texts for question in _QUESTIONS)


def are_kin(findings: Sequence[Finding]) -> bool:
    """Whether each of a few findings goes back to a place that another one goes back to, and so on."""
    if not _are_few(findings):
        return False
    groups = [_places(finding) for finding in findings]
    family = groups.pop()
    while groups:
        near = [group for group in groups if group & family]
        if not near:
            return False
        family = family.union(*near)
        groups = [group for group in groups if group not in near]
    return True


def are_mended(findings: Iterable[Finding], made: Sequence[Finding], sources: Mapping[str, Source]) -> bool:
    """Whether each finding that is no longer there once ``made`` were fixed is mended by that, or lies on the way.

    Where two ways lead to a place and one of them is mended, nobody knows any more on which device that is which comes
    there. So a fault on the other way shows no longer, and is there all the same. What is changed in the function where
    the fault shows is behind the ways that lead there. What could be changed for the fault alone begins there no further
    down: that would be another way.
    """
    fixes = [each.fix for each in made if each.fix is not None]
    changed = _changed(fixes)
    return all(
        not set(fixes).isdisjoint(fixes_of(finding)) or _is_on_the_way(changed, finding, sources)
        for finding in findings
    )


def in_common(findings: Sequence[Finding], wanted: Applicability) -> list[Finding]:
    """The first of several findings with each fix that all of them have, at the line to which all bring their operands.

    It is no less trusted than those that they prefer.
    """
    trust = max(wanted, min(finding.fix.applicability if finding.fix else wanted for finding in findings))
    meeting = frozenset.intersection(*(_lines((finding, *finding.marks)) for finding in findings))
    others = [set(finding.alternatives) for finding in findings]
    return [
        replace(findings[0], fix=fix, alternatives=())
        for fix in findings[0].alternatives
        if all(fix in other for other in others) and fix.applicability >= trust and _changed([fix]) <= meeting
    ]


def parts_of(chosen: Finding, findings: Sequence[Finding]) -> list[Finding]:
    """A finding with each of its other fixes among ``findings`` that does no more than a part of what the chosen one does."""
    if chosen.fix is None:
        return []
    whole, trust = set(chosen.fix.edits), chosen.fix.applicability
    alike = (each for each in findings if each.span == chosen.span)
    known = (each for each in alike if replace(each, fix=chosen.fix, alternatives=()) == chosen)
    fixes = (fix for finding in known for fix in finding.alternatives if set(fix.edits) < whole)
    return [replace(chosen, fix=fix) for fix in fixes if fix.applicability >= trust]


def _places(finding: Finding) -> frozenset[Place]:
    """The lines that a finding and its notes speak of."""
    return _lines((finding, *finding.notes))


def _shown_at(finding: Finding) -> frozenset[Place]:
    """The lines of its operands, where they meet."""
    return _lines(finding.marks or (finding,))


def _is_on_the_way(changed: Iterable[Place], finding: Finding, sources: Mapping[str, Source]) -> bool:
    """Whether a change is at a place of a finding, or in the function where that shows, and not above all its own fixes there."""
    places, shown = _places(finding), _shown_at(finding)
    around = {_function_at(sources, place) for place in shown}
    own = [(_function_at(sources, place), place) for place in _changed(fixes_of(finding)) - shown]
    for place in changed:
        function = _function_at(sources, place)
        lines = [line for other, (_, line) in own if other == function]
        if (place in places or function in around) and min(lines, default=0) <= place[1]:
            return True
    return False


def _function_at(sources: Mapping[str, Source], place: Place) -> Place:
    """The innermost function around a line, by the line where it begins; 0 for the module itself."""
    path, line = place
    spans = _functions(sources[path].tree) if path in sources else ()
    return path, max((first for first, last in spans if first <= line <= last), default=0)


@remembered
def _functions(tree: ast.AST) -> tuple[tuple[int, int], ...]:
    """The first and the last line of each function of a file."""
    found = (node for node in in_rows(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return tuple((node.lineno, node.end_lineno or 0) for node in found)


def _lines(told: Iterable[Finding | Note]) -> frozenset[Place]:
    return frozenset((each.path, each.span.line) for each in told)


def _changed(fixes: Iterable[Fix]) -> frozenset[Place]:
    """The lines at which fixes change something that is there."""
    changes = (change for fix in fixes for change in fix.edits)
    return frozenset((each.path, each.edit.span.line) for each in changes if hasattr(each.edit, "span"))
