"""Casts together: the operands of one operation that share a dtype are cast to another one."""

from __future__ import annotations

from devfix.analysis.record.facts import Facts
from devfix.findings import Fix, Mismatch
from devfix.placement.dtypes.casting import Recaster


def cast_together(facts: Facts, mismatch: Mismatch, wanted: str) -> list[Fix]:
    """Fixes that cast all operands where they are used, as they are of one dtype before and after."""
    ways = [Recaster(facts, mismatch, operand, wanted).at_use() for operand in mismatch.operands]
    if len(ways) == 1:
        return ways[0]
    if not all(ways):
        return []
    names = " and ".join(f"`{operand.text}`" for operand in mismatch.operands)
    edits = [edit for fixes in ways for edit in fixes[0].edits]
    return [Fix(f"cast {names} to {wanted}", tuple(dict.fromkeys(edits)), ways[0][0].applicability)]
