"""Parameter data: ``p.data = t`` where ``t`` was left on the CPU becomes ``p.data = t.to(p.device)``.

So does the tensor in ``layer.weight = nn.Parameter(t)``.
"""

from __future__ import annotations

import ast

from devfix.analysis.facts import Facts
from devfix.findings import FileEdit, Origin, WrapExpression
from devfix.placement import device_expression, suffixes
from devfix.placement.device_expression import Place, place_at
from devfix.placement.naming import is_path


def moved(facts: Facts, trail: tuple[Origin, ...]) -> tuple[FileEdit, ...]:
    """What becomes the data of a parameter goes where the parameter is, which nobody meant to leave."""
    origin = trail[0] if trail else None
    replaced = origin is not None and origin.kind == "replaced"
    place = place_at(facts, origin.path, origin.span) if origin is not None and replaced else None
    statement = place.outline.parents.get(place.node) if place is not None else None
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
