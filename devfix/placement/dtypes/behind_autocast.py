"""Behind autocast: a loss that autocast refuses is computed after its block, of floats as wide as the loss takes."""

from __future__ import annotations

import ast
from dataclasses import replace

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import called, walk
from devfix.analysis.torch_model.devices.autocast import HALVES
from devfix.findings import Applicability, FileEdit, Fix, Mismatch, MoveStatement
from devfix.placement.devices.device_expression import place_at
from devfix.placement.dtypes.casting import Recaster
from devfix.placement.dtypes.outside_autocast import in_block_without_autocast


def moved_behind_autocast(facts: Facts, mismatch: Mismatch, wanted: str) -> list[Fix]:
    """Fixes that cast operands of 16 bits, and take the loss out of autocast with what is computed of it there."""
    place = place_at(facts, mismatch.path, mismatch.sink)
    statement = place.outline.statement_of(place.node) if place is not None else None
    if place is None or statement is None:
        return []
    apart = in_block_without_autocast(facts, mismatch, place, statement)
    block = place.outline.parents.get(statement)
    if not isinstance(block, ast.With) or not _switches(block):
        return apart
    ending = block.body[block.body.index(statement) :]
    if len(ending) == len(block.body) or not _can_leave(ending):
        return apart
    spans = place.outline.source.span
    moved = [FileEdit(place.path, MoveStatement(spans(each), after=spans(block))) for each in ending]
    narrow = [operand for operand in mismatch.operands if operand.dtype in HALVES]
    if not narrow:
        return [Fix("compute it behind autocast", tuple(moved), Applicability.UNSAFE), *apart]
    casts = (Recaster(facts, mismatch, operand, wanted).at_use() for operand in narrow)
    found = (fix for fixes in casts for fix in fixes)
    behind = [replace(fix, title=f"{fix.title} behind autocast", edits=(*fix.edits, *moved)) for fix in found]
    return [*behind, *apart]


def _switches(block: ast.With) -> bool:
    """Whether a block does nothing but switch autocast on."""
    manager = block.items[0].context_expr
    is_call = isinstance(manager, ast.Call) and called(manager).rpartition(".")[2] == "autocast"
    return is_call and len(block.items) == 1


def _can_leave(ending: list[ast.stmt]) -> bool:
    """Whether what follows the loss only computes with it, as ``loss = loss / steps`` does."""
    plain = all(isinstance(each, (ast.Assign, ast.AugAssign, ast.Expr)) for each in ending)
    return plain and not any(isinstance(node, ast.Call) for each in ending[1:] for node in walk(each))
