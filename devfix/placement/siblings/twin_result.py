"""Twin results: what a module on the host gives moves as what the one beside it gives does, and the module stays there."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.findings import Applicability, Fix, Operand
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves import suffixes
from devfix.placement.siblings import sibling_move, twin_move

_MOVES = ("to", "cuda")


def moved_like_twin(facts: Facts, operand: Operand) -> list[Fix]:
    """``u = self.users(i)`` becomes ``u = self.users(i).to(device)`` beside ``v = self.items(j).to(device)``."""
    if not operand.trail or operand.trail[0].kind == "module":
        return []
    for site in operand.trail:
        place = place_at(facts, site.path, site.span) if site.kind == "name" else None
        edits = _as_beside(facts, place) if place is not None else ()
        if edits:
            return [Fix(f"move `{site.text}` as what is made beside it", edits, Applicability.SAFE)]
    return []


def _as_beside(facts: Facts, place: Place) -> sibling_move.Edits:
    statement = place.outline.statement_of(place.node)
    if not isinstance(statement, ast.Assign) or not isinstance(place.node, ast.Name):
        return ()
    name, made = place.node.id, statement.value
    for twin, other in twin_move.others(place.outline, statement, name):
        move = twin.value
        if not isinstance(move, ast.Call) or not isinstance(move.func, ast.Attribute):
            continue
        if move.func.attr not in _MOVES or not _are_alike(made, move.func.value):
            continue
        suffix = sibling_move.last_move(move)
        if sibling_move.is_placed(facts, place, twin, other) and not sibling_move.names(suffix, name):
            return suffixes.as_beside(facts, place.outline, made, suffix, twin)
    return ()


def _are_alike(made: ast.expr, beside: ast.expr) -> bool:
    """Whether two parts of one object, or two names, are called with as many arguments."""
    if not isinstance(made, ast.Call) or not isinstance(beside, ast.Call):
        return False
    owners = [
        ast.dump(call.func.value) if isinstance(call.func, ast.Attribute) else "" for call in (made, beside)
    ]
    kinds = (type(made.func), len(made.args), len(made.keywords))
    return owners[0] == owners[1] and kinds == (type(beside.func), len(beside.args), len(beside.keywords))
