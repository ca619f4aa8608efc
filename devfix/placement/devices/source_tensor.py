"""Source tensors: what a function makes of the numbers of a tensor goes where that tensor is.

``torch.tensor(scores)`` of a list that ``completions.tolist()`` led to answers for ``completions``, and its callers go on
with both.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.placement.devices import boundness
from devfix.placement.devices.reaching import is_usable

if TYPE_CHECKING:
    from devfix.placement.devices.device_expression import Place

#: What puts values into a list, a set or a dict.
_FILLS = frozenset({"append", "extend", "insert", "add", "update"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def made_of(facts: Facts, place: Place) -> str | None:
    """A tensor on the accelerator, by the name that the function has for it, which the call at a place goes back to."""
    function = place.outline.function_of(place.node)
    if function is None or not isinstance(place.node, ast.Call):
        return None
    scope = place.outline.scopes(place.node)[0]
    known = facts.bindings(place.path, scope)
    given = [*place.node.args, *(keyword.value for keyword in place.node.keywords)]
    for name in names_behind(place.outline, function, given):
        found = known.get(name, [])
        if found and is_usable(place, scope, found, "tensor") and _is_bound(place, name):
            return name
    return None


def _is_bound(place: Place, name: str) -> bool:
    return boundness.is_bound(place.outline, place.node, name)


def names_behind(outline: Outline, function: _Function, given: list[ast.expr]) -> Iterator[str]:
    """The names in some expressions of a function, then those of which these get what they stand for, and so on."""
    waiting, seen = list(given), set[str]()
    while waiting:
        read = [node.id for node in in_rows(waiting.pop(0)) if isinstance(node, ast.Name)]
        for name in dict.fromkeys(read):
            if name not in seen:
                seen.add(name)
                yield name
                for use in outline.occurrences(function, name):
                    waiting += _put_in(outline, use)


def _put_in(outline: Outline, use: ast.Name) -> list[ast.expr]:
    """What a name is bound to where it stands, or what is put into the list or dict that it stands for."""
    node: ast.AST = use
    around = outline.parents[node]
    if isinstance(use.ctx, ast.Store):
        while isinstance(around, (ast.Tuple, ast.List, ast.Starred)):
            node, around = around, outline.parents[around]
    elif isinstance(around, ast.Attribute) and around.attr in _FILLS:
        call = outline.parents[around]
        return list(call.args) if isinstance(call, ast.Call) and call.func is around else []
    elif isinstance(around, ast.Subscript) and around.value is use and isinstance(around.ctx, ast.Store):
        around = outline.parents[around]
    else:
        return []
    if isinstance(around, (ast.For, ast.AsyncFor, ast.comprehension)):
        return [around.iter]
    value = getattr(around, "value", None)
    return [value] if isinstance(value, ast.expr) else []
