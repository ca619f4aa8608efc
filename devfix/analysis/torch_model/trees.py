"""``tree_map`` and its kin: a function is called with each leaf of nested lists, tuples and dicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis import calls
from devfix.analysis.copying import replace
from devfix.analysis.frames import Arg, CallSite
from devfix.analysis.values import UNKNOWN, Sequence, TupleValue, Union, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_CONTAINERS = ("list", "dict")
#: Trees nested more deeply hold something else.
_DEEPEST = 8


def mapped(interp: Interpreter, value: Value, leaf: Callable[[Value], Value], depth: int = 0) -> Value:
    """A nested value of the same form, with each leaf changed."""

    def below(part: Value) -> Value:
        return mapped(interp, part, leaf, depth + 1)

    if depth > _DEEPEST:
        return UNKNOWN
    if isinstance(value, TupleValue):
        return value.with_items(below(item) for item in value.items)
    if isinstance(value, Sequence):
        return Sequence(below(value.element))
    if isinstance(value, Union):
        return interp.either(value.members, below, usual=value.usual)
    obj = interp.obj_of(value)
    if obj is None or obj.kind not in _CONTAINERS:
        return leaf(value)
    attrs = {name: below(item) for name, item in obj.attrs.items()}
    items = tuple(below(item) for item in obj.items) if obj.items is not None else None
    element = below(obj.element) if obj.element is not None else None
    return interp.new(replace(obj, attrs=attrs, items=items, element=element))


def tree_map(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``tree_map(f, tree)``."""
    function, tree = site.value(0, "func", "fn"), site.value(1, "tree", "pytree")
    if function is None or tree is None:
        return UNKNOWN
    return mapped(interp, tree, lambda leaf: calls.call(interp, function, CallSite(site.node, (Arg(leaf),))))


_PACKAGES = ("torch.utils._pytree", "optree", "tree", "jax.tree_util")

HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **{f"{package}.tree_map": tree_map for package in _PACKAGES},
    "tree.map_structure": tree_map,
}
