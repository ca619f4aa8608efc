"""Own parameters: which of its own a method of a module has at hand, by whose device it may say that of the module."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.analysis.text.vocabulary import vocabulary
from devfix.placement.devices import constructed
from devfix.placement.text.dependence import dotted

if TYPE_CHECKING:
    from devfix.placement.devices.device_expression import Place


def used(facts: Facts, place: Place) -> str | None:
    """``self.weight`` where the method around a place reads that, and whoever has an object has it as a Parameter."""
    outline = place.outline
    function = outline.function_of(place.node)
    receiver = outline.receiver_name(function)
    cls = outline.class_of(function) if function is not None else None
    if function is None or receiver is None or cls is None or function.name == "__init__":
        return None
    known = facts.bindings(place.path, outline.scope(function))
    for part in in_rows(function):
        if not isinstance(part, ast.Attribute) or not isinstance(part.ctx, ast.Load):
            continue
        if dotted(part) != f"{receiver}.{part.attr}":
            continue
        bindings = known.get(f"self.{part.attr}", [])
        if not bindings or not all(each.registered for each in bindings):
            continue
        always = constructed.is_always_set(facts, cls, part.attr)
        before = constructed.is_set_before(facts, outline, function, part.attr)
        if always and before and not _is_taken_away(facts, part.attr):
            return f"{receiver}.{part.attr}"
    return None


def _is_taken_away(facts: Facts, attribute: str) -> bool:
    """Whether a program deletes an attribute of that name, or sets it to None, of whatever object.

    A module takes nothing else in place of a Parameter than another one.
    """
    for source in facts.program.sources.values():
        if attribute not in source.text:
            continue
        if "delattr" in source.text or "setattr" in source.text:
            return True
        none = [node for node in in_rows(source.tree) if constructed.sets(node, attribute) and _is_none(node)]
        found = vocabulary(source.tree).attributes.get(attribute, ())
        if none or any(isinstance(node.ctx, ast.Del) for node in found):
            return True
    return False


def _is_none(node: ast.AST) -> bool:
    """Whether what an assignment sets is None."""
    value = getattr(node, "value", None)
    return isinstance(value, ast.Constant) and value.value is None
