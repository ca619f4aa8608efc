"""Rebuilding: a comprehension that passes the parts of a batch on is where they all move at once."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.findings import FileEdit, Operand, ReplaceExpression, WrapExpression
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place

Edits = tuple[FileEdit, ...]


def moved(facts: Facts, place: Place, peers: list[Operand]) -> Edits:
    """``{k: v.to(device) for k, v in batch.items()}`` where ``place`` is the name ``v`` that is bound there."""
    part = _part(place)
    if part is None:
        return ()
    outline = place.outline
    found = device_expression.find(facts, Place(place.path, outline, part), peers)
    if found is None or found.code.partition(".")[0] == part.id:
        return ()
    span = outline.source.span(part)
    if _is_always_tensor(facts, place, part.id):
        return (*found.edits, FileEdit(place.path, WrapExpression(span, "", f".to({found.code})")))
    code = f'{part.id}.to({found.code}) if hasattr({part.id}, "to") else {part.id}'
    return (*found.edits, FileEdit(place.path, ReplaceExpression(span, code)))


def _part(place: Place) -> ast.Name | None:
    """What the comprehension around a name that it binds makes of it, when that is the same."""
    if not isinstance(place.node, ast.Name):
        return None
    around: ast.AST = place.node
    while isinstance(around, (ast.Name, ast.Tuple)):
        around = place.outline.parents[around]
    if not isinstance(around, ast.comprehension):
        return None
    whole = place.outline.parents[around]
    value = whole.value if isinstance(whole, ast.DictComp) else getattr(whole, "elt", None)
    return value if isinstance(value, ast.Name) and value.id == place.node.id else None


def _is_always_tensor(facts: Facts, place: Place, name: str) -> bool:
    bindings = facts.bindings(place.path, place.outline.scopes(place.node)[0]).get(name, [])
    return bool(bindings) and all(binding.kind == "tensor" for binding in bindings)
