"""Parameter data: ``p.data = t`` where ``t`` was left on the CPU becomes ``p.data = t.to(p.device)``.

So does the tensor in ``layer.weight = nn.Parameter(t)``, and the vector in ``vector_to_parameters(t, net.parameters())``.
"""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.findings import Applicability, FileEdit, Fix, Operand, Origin, WrapExpression
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves import suffixes
from devfix.placement.text.naming import is_path


def moved(facts: Facts, trail: tuple[Origin, ...]) -> tuple[FileEdit, ...]:
    """What becomes the data of a parameter goes where the parameter is, which nobody meant to leave."""
    origin = next((site for site in trail if site.kind == "replaced"), None)
    replaced = origin is not None
    place = place_at(facts, origin.path, origin.span) if origin is not None and replaced else None
    statement = place.outline.parents.get(place.node) if place is not None else None
    if place is not None and isinstance(statement, ast.Call):
        return _in_pieces(facts, place, statement)
    if (
        place is None
        or origin is None
        or not isinstance(statement, ast.Assign)
        or len(statement.targets) != 1
    ):
        return ()
    target = statement.targets[0]
    if not isinstance(target, ast.Attribute) or not is_path(target.value, ast.Constant, ast.Name):
        return ()
    if target.attr != "data":
        return _in_parameter(facts, place, target)
    source = place.outline.source
    parameter = source.segment(source.span(target.value))
    return (FileEdit(place.path, WrapExpression(origin.span, "", f".to({parameter}.device)")),)


def _in_pieces(facts: Facts, place: Place, call: ast.Call) -> tuple[FileEdit, ...]:
    """The vector that is handed out to parameters, in ``vector_to_parameters(vector, net.parameters())``."""
    chosen = device_expression.chosen(facts, place)
    if chosen is None or not isinstance(place.node, ast.expr) or place.node not in call.args[:1]:
        return ()
    return suffixes.added(facts, place.outline, place.node, f".to({chosen.code})")


def given_average(facts: Facts, operand: Operand) -> list[Fix]:
    """The same for what was copied from a module before it moved, and fails nowhere else: an average that is kept on the CPU."""
    if operand.trail[:1] == () or operand.trail[0].kind != "replaced":
        return []
    copied = {life[0] for life in operand.roots if life}
    others = (
        each
        for mismatch in facts.mismatches("device")
        for each in mismatch.operands
        if each.device == "cpu" and each.trail[:1] != operand.trail[:1]
    )
    fails = any(life[:1] and life[0] in copied for each in others for life in (each.trail, *each.roots))
    edits = moved(facts, operand.trail) if not fails else ()
    title = f"move what becomes the data of `{operand.text}` to where that is"
    return [Fix(title, edits, Applicability.SAFE)] if edits else []


def _in_parameter(facts: Facts, place: Place, target: ast.Attribute) -> tuple[FileEdit, ...]:
    """What a parameter is made of goes to the device that the program chose, or that the one before it is on."""
    call = place.node
    if not isinstance(call, ast.Call) or not call.args or isinstance(call.args[0], ast.Starred):
        return ()
    chosen = device_expression.chosen(facts, place)
    code = (
        chosen.code
        if chosen is not None
        else f"{place.outline.source.segment(place.outline.source.span(target))}.device"
    )
    return suffixes.added(facts, place.outline, call.args[0], f".to({code})")
