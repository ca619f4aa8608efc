"""Casts together: the operands of one operation that share a dtype are cast to another one."""

from __future__ import annotations

from devfix.analysis.domain.lattice import INTEGERS
from devfix.analysis.record.facts import Facts
from devfix.findings import FileEdit, Fix, Mismatch
from devfix.placement.devices.device_expression import place_at
from devfix.placement.dtypes.casting import METHODS, Recaster
from devfix.placement.moves import suffixes


def cast_together(facts: Facts, mismatch: Mismatch, wanted: str) -> list[Fix]:
    """Fixes that cast all operands where they are used, as they are of one dtype before and after.

    Where floats are of no use in the end, what comes of integers is made the integers again that it was.
    """
    ways = [Recaster(facts, mismatch, operand, wanted).at_use() for operand in mismatch.operands]
    if len(ways) == 1:
        return ways[0]
    if not all(ways):
        return []
    names = " and ".join(f"`{operand.text}`" for operand in mismatch.operands)
    edits = tuple(dict.fromkeys(edit for fixes in ways for edit in fixes[0].edits))
    found = [Fix(f"cast {names} to {wanted}", edits, ways[0][0].applicability)]
    if back := _back(facts, mismatch):
        dtype = mismatch.operands[0].dtype
        title = f"cast {names} to {wanted}, and the result back to {dtype}"
        found.append(Fix(title, (*edits, *back), ways[0][0].applicability))
    return found


def _back(facts: Facts, mismatch: Mismatch) -> tuple[FileEdit, ...]:
    """``(a @ b).long()``, where that is an expression and its operands are integers of one kind."""
    kinds = {operand.dtype for operand in mismatch.operands}
    method = METHODS.get(next(iter(kinds)) or "") if len(kinds) == 1 and kinds <= set(INTEGERS) else None
    place = place_at(facts, mismatch.path, mismatch.sink) if method is not None else None
    return suffixes.added(facts, place.outline, place.node, f".{method}()") if place is not None else ()
