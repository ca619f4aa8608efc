"""Double islands: where a function chooses float64 for what it computes, what meets that is cast to it, and not back."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.findings import FileEdit, Mismatch, Operand, Origin
from devfix.placement.devices.device_expression import place_at
from devfix.placement.moves import suffixes


def widened(facts: Facts, mismatch: Mismatch, operand: Operand) -> tuple[FileEdit, ...]:
    """``.double()`` on the operand that meets a float64 one, which is so by choice, some of it in the function around."""
    others = [each for each in mismatch.operands if each is not operand]
    if len(others) != 1 or operand.dtype != "float64" or others[0].role in ("weight", "parameters"):
        return ()
    lives = operand.roots or (operand.trail,)
    if not all(life and _is_chosen(facts, life[0]) for life in lives):
        return ()
    around = (mismatch.path, mismatch.get("scope"))
    if all((life[0].path, life[0].scope) != around for life in lives):
        return ()
    place = place_at(facts, others[0].path, others[0].span)
    if place is None or others[0].span == mismatch.sink:
        return ()
    return suffixes.added(facts, place.outline, place.node, ".double()")


def _is_chosen(facts: Facts, origin: Origin) -> bool:
    """Whether a cast or a factory says float64."""
    place = place_at(facts, origin.path, origin.span)
    if place is None or not isinstance(place.node, ast.Call) or origin.kind in ("array", "numpy"):
        return False
    said = [*place.node.args, *(each.value for each in place.node.keywords)]
    names = {getattr(place.node.func, "attr", ""), *(getattr(each, "attr", "") for each in said)}
    return bool(names & {"double", "float64"})
