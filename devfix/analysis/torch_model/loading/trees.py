"""``tree_map`` and its kin: a function is called with each leaf of nested lists, tuples and dicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.values import UNKNOWN, External, Obj, Sequence, Tensor, TupleValue, Union, Value
from devfix.analysis.language import containers, iteration
from devfix.analysis.language.frames import Arg, CallSite

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
    return interp.new(containers.each(obj, below))


def tree_map(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``tree_map(f, tree)``."""
    function, tree = site.value(0, "func", "fn"), site.value(1, "tree", "pytree")
    if function is None or tree is None:
        return UNKNOWN
    return mapped(interp, tree, lambda leaf: interp.call(function, CallSite(site.node, (Arg(leaf),))))


def tree_map_in_place(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``tree_map_(f, tree)``: the tree itself, when ``f`` has been called with each leaf."""
    tree_map(interp, name, site)
    return site.value(1, "tree") or UNKNOWN


def tree_map_only(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``tree_map_only(torch.Tensor, f, tree)``: leaves of other types stay what they are."""
    wanted, function, tree = site.value(0), site.value(1, "func"), site.value(2, "tree")
    if wanted != External("torch.Tensor") or function is None or tree is None:
        return UNKNOWN

    def changed(leaf: Value) -> Value:
        if isinstance(leaf, Tensor):
            return interp.call(function, CallSite(site.node, (Arg(leaf),)))
        return leaf

    return mapped(interp, tree, changed)


def leaves_of(interp: Interpreter, tree: Value) -> Value:
    """The leaves of a tree, in order, as a list: where their number is not known, what they have in common."""
    found: list[Value] = []
    exact = [True]

    def keep(leaf: Value) -> Value:
        found.append(leaf)
        return leaf

    def look(value: Value) -> None:
        obj = interp.obj_of(value)
        if isinstance(value, (Sequence, Union)) or (obj is not None and obj.element is not None):
            exact[0] = False
        for part in value.items if isinstance(value, TupleValue) else _parts(obj):
            look(part)

    look(tree)
    mapped(interp, tree, keep)
    if exact[0]:
        return iteration.new_list(interp, tuple(found))
    return interp.new(Obj("list", element=join_all(found))) if found else UNKNOWN


def _parts(obj: Obj | None) -> tuple[Value, ...]:
    if obj is None or obj.kind not in _CONTAINERS:
        return ()
    return (*obj.attrs.values(), *(obj.items or ()))


def tree_leaves(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``tree_leaves(tree)``."""
    tree = site.value(0, "tree", "pytree")
    return leaves_of(interp, tree) if tree is not None else UNKNOWN


def tree_flatten(interp: Interpreter, name: str, site: CallSite) -> Value:
    """The leaves, and a spec that tells the form of the tree."""
    tree = site.value(0, "tree", "pytree")
    if tree is None:
        return UNKNOWN
    spec = interp.new(Obj("external", External(_SPEC), attrs={_FORM: tree}))
    return TupleValue((leaves_of(interp, tree), spec))


def tree_unflatten(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``tree_unflatten(leaves, spec)``: a tree of that form, with other leaves."""
    first, second = site.value(0), site.value(1)
    specs = [
        obj for obj in (interp.obj_of(first), interp.obj_of(second)) if obj and obj.cls == External(_SPEC)
    ]
    leaves = second if specs and interp.obj_of(first) is specs[0] else first
    if len(specs) != 1 or leaves is None:
        return UNKNOWN
    items = iteration.exact_items(interp, leaves)
    row = iter(items or ())
    element = iteration.element(interp, leaves, None)
    return mapped(
        interp, specs[0].attrs[_FORM], lambda _: next(row, UNKNOWN) if items is not None else element
    )


_SPEC, _FORM = "torch.utils._pytree.TreeSpec", "form"
_PACKAGES = ("torch.utils._pytree", "optree", "tree", "jax.tree_util")

HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **{f"{package}.tree_map": tree_map for package in _PACKAGES},
    **{f"{package}.tree_map_": tree_map_in_place for package in _PACKAGES},
    **{f"{package}.tree_leaves": tree_leaves for package in _PACKAGES},
    **{f"{package}.tree_flatten": tree_flatten for package in _PACKAGES},
    **{f"{package}.tree_unflatten": tree_unflatten for package in _PACKAGES},
    "torch.utils._pytree.tree_map_only": tree_map_only,
    "tree.map_structure": tree_map,
}
