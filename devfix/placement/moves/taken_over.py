"""Taken over: a loaded tensor that replaces one of an object's goes to where that is."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, Origin, WrapExpression
from devfix.placement.devices import constructed, device_expression
from devfix.placement.devices.device_expression import Place
from devfix.placement.devices.reaching import is_wanted
from devfix.placement.telling.restored import stored

Edits = tuple[FileEdit, ...]


def moved(facts: Facts, trail: tuple[Origin, ...]) -> Edits:
    """``self.mean = state["mean"].to(self.mean.device)`` where a method is given a state that was loaded to the CPU."""
    for site in trail:
        place = device_expression.place_at(facts, site.path, site.span) if site.kind == "attribute" else None
        if place is not None and (value := _taken(place)) is not None and _is_replaced(facts, place):
            suffix = f".to({ast.unparse(place.node)}.device)"
            return (FileEdit(place.path, WrapExpression(place.outline.source.span(value), "", suffix)),)
    return ()


def _taken(place: Place) -> ast.expr | None:
    """The part of a parameter that an attribute is given: ``state["mean"]``."""
    values = [
        value for target, value in stored(place.outline.statement_of(place.node)) if target is place.node
    ]
    value = values[0] if values else None
    whole = value.value if isinstance(value, (ast.Subscript, ast.Attribute)) else None
    function = place.outline.function_of(place.node)
    if function is None or not isinstance(whole, ast.Name):
        return None
    is_given = whole.id in {each.arg for each in in_rows(function) if isinstance(each, ast.arg)}
    return value if is_given and whole.id != place.outline.receiver_name(function) else None


def _is_replaced(facts: Facts, place: Place) -> bool:
    """Whether an attribute of the method's object was a tensor on the accelerator, from its constructor on."""
    function, node = place.outline.function_of(place.node), place.node
    if not isinstance(node, ast.Attribute) or not isinstance(function, ast.FunctionDef):
        return False
    if ast.unparse(node.value) != place.outline.receiver_name(function) or function.name == "__init__":
        return False
    bindings = facts.bindings(place.path, place.outline.scope(function)).get(f"self.{node.attr}", [])
    return (
        any(is_wanted(each.device) for each in bindings)
        and all(each.kind in ("tensor", "strange") for each in bindings)
        and constructed.is_set_before(facts, place.outline, function, node.attr)
    )
