"""Results that are there: what was made on the CPU goes to what a call gives it to meet, which gets a name for that."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.vocabulary import every_name_in
from devfix.findings import (
    Applicability,
    FileEdit,
    Fix,
    InsertBefore,
    Mismatch,
    Operand,
    ReplaceExpression,
)
from devfix.placement.blaming.wording import spoken
from devfix.placement.devices.device_expression import place_at
from devfix.placement.moves import destination, suffixes
from devfix.placement.text.dependence import dotted
from devfix.placement.text.provenance import MADE

_NAMES = ("out", "result", "computed")


def fix(facts: Facts, mismatch: Mismatch, operand: Operand, peers: list[Operand]) -> Fix | None:
    """``out = f(x)`` and ``return out * scale.to(out.device)`` for ``return f(x) * scale``.

    Data that was moved would be brought back for a constant otherwise.
    """
    if not operand.trail or operand.trail[0].kind not in MADE or len(peers) != 1:
        return None
    if destination.stays(mismatch, operand) or destination.is_on_purpose(facts, mismatch, operand):
        return None
    place, peer = place_at(facts, operand.path, operand.span), place_at(facts, peers[0].path, peers[0].span)
    if place is None or peer is None or not isinstance(peer.node, ast.Call):
        return None
    outline = place.outline
    statement = outline.statement_of(place.node)
    path = dotted(place.node)
    if path is None or not _is_all(statement, place.node, peer.node, path):
        return None
    name = _free_name(outline, statement)
    if name is None:
        return None
    moved = suffixes.added(facts, outline, place.node, f".to({name}.device)")
    if not moved or not suffixes.added(facts, outline, peer.node, ".to(device)"):
        return None
    called = outline.source.segment(outline.source.span(peer.node))
    edits = (
        FileEdit(place.path, InsertBefore(outline.source.span(statement), f"{name} = {called}")),
        FileEdit(place.path, ReplaceExpression(peers[0].span, name)),
        *moved,
    )
    title = f"move `{spoken(operand)}` to the device of `{peers[0].text}`"
    return Fix(title, edits, Applicability.SAFE)


def _is_all(statement: ast.stmt, constant: ast.AST, call: ast.AST, path: str) -> bool:
    """Whether a statement only joins the two, so that what was called first still is, and keeps no sum."""
    if not isinstance(statement, (ast.Return, ast.Assign)) or not isinstance(statement.value, ast.BinOp):
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if any(not isinstance(target, ast.Name) or target.id == path for target in targets):
        return False
    sides = (statement.value.left, statement.value.right)
    return sides == (call, constant) or (sides == (constant, call) and isinstance(constant, ast.Name))


def _free_name(outline: Outline, statement: ast.stmt) -> str | None:
    """A name that nothing in the function around a statement has."""
    function = outline.function_of(statement)
    taken = every_name_in(function if function is not None else outline.source.tree)
    return next((name for name in _NAMES if name not in taken), None)
