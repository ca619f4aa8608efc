"""Selecting: a tensor of which a part is taken moves before that where nobody knows what selects the part.

On the accelerator anything selects; a tensor on the CPU can be indexed from the CPU alone.
"""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.placement.devices.device_expression import Place
from devfix.placement.text.naming import named_tensor


def whole(facts: Facts, place: Place) -> Place:
    """``table`` for ``table[index]`` where an unknown argument selects; else the place as it is."""
    node = place.node
    if not isinstance(node, ast.Subscript):
        return place
    if named_tensor(place.outline, facts, node.value) != ast.unparse(node.value):
        return place
    if not any(
        _is_unknown_argument(facts, place, part) for index in _indices(node) for part in ast.walk(index)
    ):
        return place
    return Place(place.path, place.outline, node.value)


def _indices(node: ast.Subscript) -> list[ast.expr]:
    """What selects by where it is itself: the bounds of a slice are numbers."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return [part for part in parts if not isinstance(part, ast.Slice)]


def _is_unknown_argument(facts: Facts, place: Place, node: ast.AST) -> bool:
    function = place.outline.function_of(node)
    if not isinstance(node, ast.Name) or not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    if node.id not in {each.arg for each in (*function.args.posonlyargs, *function.args.args)}:
        return False
    bindings = facts.bindings(place.path, place.outline.scopes(place.node)[0]).get(node.id, [])
    return any(binding.kind in ("number", "other", "strange") for binding in bindings)
