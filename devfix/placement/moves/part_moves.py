"""Part moves: what holds tensors, and has no ``to``, is replaced by the like with its parts moved, where it is used."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.findings import FileEdit, Operand, ReplaceExpression, WrapExpression
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place
from devfix.placement.modules import distribution_buffers
from devfix.placement.moves import distribution_parts, lent_weights

Edits = tuple[FileEdit, ...]


def each(facts: Facts, place: Place, operand: Operand, peers: list[Operand]) -> Edits:
    """The parts of a tuple, a sequence or a distribution move; nothing where ``place`` may stand for something else."""
    if operand.role == "tensors":
        return _joined(facts, place, operand, peers)
    if operand.role == "weight":
        return lent_weights.moved(facts, operand, peers)
    if isinstance(place.node, ast.Attribute):
        return _rebuilt(facts, place, operand, peers, place.node)
    if not isinstance(place.node, ast.Name):
        return ()
    scope = place.outline.scopes(place.node)[0]
    bindings = facts.bindings(place.path, scope).get(place.node.id, [])
    if not bindings or any(binding.kind != "tensors" for binding in bindings):
        return ()
    return _comprehension(facts, place, operand, peers, ("tuple(", ")"))


def _joined(facts: Facts, place: Place, operand: Operand, peers: list[Operand]) -> Edits:
    """What is joined is any sequence of tensors."""
    if not isinstance(place.node, (ast.Name, ast.Attribute)):
        return ()
    return _comprehension(facts, place, operand, peers, ("[", "]"))


def _comprehension(
    facts: Facts, place: Place, operand: Operand, peers: list[Operand], brackets: tuple[str, str]
) -> Edits:
    found = device_expression.find(facts, place, peers)
    if found is None:
        return ()
    begin, end = brackets
    edit = WrapExpression(operand.span, f"{begin}part.to({found.code}) for part in ", end)
    return (*found.edits, FileEdit(place.path, edit))


def _rebuilt(
    facts: Facts, place: Place, operand: Operand, peers: list[Operand], attribute: ast.Attribute
) -> Edits:
    """A distribution has no way to move: one is made of its moved parameters, which a module may have as buffers."""
    if edits := distribution_buffers.registered(facts, place, attribute):
        return edits
    code = distribution_parts.construction(place.outline, attribute, operand)
    found = device_expression.find(facts, place, peers) if code else None
    if found is None or operand.path != place.path:
        return ()
    edit = FileEdit(place.path, ReplaceExpression(operand.span, code.replace("{}", found.code)))
    return (*found.edits, edit)
