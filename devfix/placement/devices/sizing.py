"""Sizing: tensors that are made as large as another one, and go well where that one is."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import Binding
from devfix.analysis.text.syntax import in_rows
from devfix.placement.devices import boundness
from devfix.placement.devices.reaching import is_usable, is_wanted, reaches

if TYPE_CHECKING:
    from devfix.placement.devices.device_expression import Place

#: What tells the size of a tensor.
_SIZES = frozenset({"shape", "size"})
#: What a name is bound to of which nothing is known.
_UNKNOWN = frozenset({"strange", "other"})


def sized_by(facts: Facts, place: Place) -> str | None:
    """A tensor whose shape the call asks for: ``torch.zeros(x.shape)``."""
    scope = place.outline.scopes(place.node)[0]
    known = facts.bindings(place.path, scope)
    for name in sizes_of(place.node):
        found = known.get(name, [])
        if asks_tensor(place.node, name):
            # Where nothing is known of it it is a tensor all the same, and what is made stays with it.
            found = [each for each in found if each.kind not in _UNKNOWN]
        found = _in_question(place, scope, found)
        if (
            found
            and is_usable(place, scope, found, "tensor")
            and boundness.is_bound(place.outline, place.node, name)
        ):
            return name
    return None


def _in_question(place: Place, scope: str, bindings: list[Binding]) -> list[Binding]:
    """The bindings without those of tensors of which nobody knows where they are, where another run of the statement has the accelerator.

    What is made as large as such a tensor goes well where that is, wherever it is. What comes after the place is none of it.
    """
    placed = {each.statement for each in bindings if each.kind == "tensor" and is_wanted(each.device)}
    return [
        each
        for each in bindings
        if each.kind != "tensor"
        or each.device is None
        or each.device.kind != "unknown"
        or (each.statement not in placed and reaches(place, scope, each))
    ]


def asks_tensor(node: ast.AST, name: str) -> bool:
    """Whether an expression calls ``name.size()``, which arrays and lists have not."""
    called = (part.func for part in in_rows(node) if isinstance(part, ast.Call))
    return any(
        isinstance(func, ast.Attribute)
        and func.attr == "size"
        and isinstance(func.value, ast.Name)
        and func.value.id == name
        for func in called
    )


def sizes_of(node: ast.AST) -> list[str]:
    """The names whose size an expression asks for."""
    asked = (part.value for part in in_rows(node) if isinstance(part, ast.Attribute) and part.attr in _SIZES)
    return list(dict.fromkeys(part.id for part in asked if isinstance(part, ast.Name)))
