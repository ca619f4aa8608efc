"""Sizing: tensors that are made as large as another one, and go well where that one is."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.facts import Facts
from devfix.placement import boundness
from devfix.placement.reaching import is_usable

if TYPE_CHECKING:
    from devfix.placement.device_expression import Place

#: What tells the size of a tensor.
_SIZES = frozenset({"shape", "size"})


def sized_by(facts: Facts, place: Place) -> str | None:
    """A tensor whose shape the call asks for: ``torch.zeros(x.shape)``."""
    scope = place.outline.scopes(place.node)[0]
    known = facts.bindings(place.path, scope)
    for name in sizes_of(place.node):
        if (
            name in known
            and is_usable(place, scope, known[name], "tensor")
            and boundness.is_bound(place.outline, place.node, name)
        ):
            return name
    return None


def sizes_of(node: ast.AST) -> list[str]:
    """The names whose size an expression asks for."""
    asked = (part.value for part in ast.walk(node) if isinstance(part, ast.Attribute) and part.attr in _SIZES)
    return list(dict.fromkeys(part.id for part in asked if isinstance(part, ast.Name)))
