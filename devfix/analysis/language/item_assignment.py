"""Item assignment: what ``container[key] = value`` makes of a list, a dict or a set."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.assumptions import device_keys, replacing
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import LEFT, join_values
from devfix.analysis.domain.values import TRUE, Obj, Ref, Tensor, Unknown, Value
from devfix.analysis.language import (
    containers,
    iteration,
    just_put,
    keeping,
    list_places,
    object_keys,
    text_keys,
)
from devfix.analysis.language.given_namespaces import NAMESPACE_OF
from devfix.analysis.language.iteration import NAMED, dict_key

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: The facts of a dict that shows what an object holds.
VIEWS = (NAMESPACE_OF, containers.PARTS_OF, containers.PARAMETERS_OF, containers.BUFFERS_OF)


def assign(interp: Interpreter, ref: Ref, key: Value, value: Value, node: ast.expr | None) -> None:
    """``container[key] = value``."""
    obj = interp.obj(ref)
    if LEFT in obj.facts:  # where a path leads past this, the others remember it
        obj = replace(obj, facts={name: fact for name, fact in obj.facts.items() if name != LEFT})
    if isinstance(value, Tensor) and node is not None:
        value = value.at(interp.site("item", node))
    name = dict_key(key)
    if not obj.facts.keys().isdisjoint(VIEWS):
        _set_in_owner(interp, obj, name, value, node)
    if obj.kind == "list" and key == iteration.SLICE:
        interp.update(ref, _with_slice(interp, obj, value, node))
    elif obj.kind == "dict" and name is not None:
        interp.update(ref, obj.with_attr(name, value))
    elif (
        obj.kind in ("list", "module") and obj.items is not None and containers.index_of(obj, key) is not None
    ):
        items = list(obj.items)
        items[containers.index_of(obj, key) or 0] = value
        interp.update(ref, replace(obj, items=tuple(items)))
    elif obj.cls in NAMED or _is_part_of_stranger(obj, name, value):
        interp.update(ref, obj.with_attr(name or f"child {len(obj.attrs)}", value))
    else:
        _put_somewhere(interp, ref, obj, key, value, node)


def _put_somewhere(
    interp: Interpreter, ref: Ref, obj: Obj, key: Value, value: Value, node: ast.expr | None
) -> None:
    """An item is set under a key that nobody knows."""
    if obj.kind == "dict":
        alone = not obj.attrs and replacing.has_its_turn(interp, node)
        further = object_keys.with_entry(object_keys.added(obj, key), obj, key, value)
        obj = device_keys.added(further, key, value)
        some = replace(obj, element=value) if alone else _with_some_entry(obj, text_keys.pattern(key), value)
        interp.update(ref, some)
    elif obj.facts.get(containers.REPEATED) == containers.PLACEHOLDER:
        interp.update(ref, replace(obj, element=value).with_fact(containers.REPEATED, TRUE))
    elif _has_every_item_replaced(interp, obj, node):
        interp.update(ref, replace(obj, element=value))
    elif obj.kind in ("list", "set"):
        interp.update(ref, containers.shuffled(obj, value))
    elif obj.kind == "external" and obj.element is not None:  # a tokenizer's batch
        interp.update(ref, replace(obj, element=join_values(obj.element, value)))
    if obj.kind in ("list", "dict"):
        just_put.note(interp, ref, value, node)


def _is_part_of_stranger(obj: Obj, name: str | None, value: Value) -> bool:
    """``model.classifier[6] = ...``: a part of a model whose code is not here gets a layer of the program's."""
    is_stranger = obj.kind == "module" and (isinstance(obj.cls, Unknown) or obj.place is not None)
    return is_stranger and name is not None and isinstance(value, Ref)


def _set_in_owner(
    interp: Interpreter, obj: Obj, name: str | None, value: Value, node: ast.expr | None
) -> None:
    """What is put into ``__dict__`` is an attribute of the object, and what is put into ``_modules`` a part of the module.

    So is what is put into ``_parameters`` or ``_buffers``.
    """
    stores = (keeping.store_hidden, keeping.store_part, keeping.store_parameter, keeping.store_buffer)
    for view, store in zip(VIEWS, stores, strict=True):
        owner = obj.facts.get(view)
        if isinstance(owner, Ref):
            store(interp, owner, name, value, node)


def delete_slice(interp: Interpreter, ref: Ref, part: ast.Slice) -> None:
    """``del items[1:]``; ``del items[:]`` leaves nothing, whatever there was."""
    obj = interp.obj(ref)
    if obj.kind != "list":
        return
    if part.lower is part.upper is part.step is None:
        interp.update(ref, containers.emptied(obj))
        return
    left = list_places.with_slice(interp, obj, iteration.known_slice(interp, part), ())
    interp.update(ref, left or containers.taken_from(obj))


def _with_slice(interp: Interpreter, obj: Obj, value: Value, node: ast.expr | None) -> Obj:
    """``items[:] = others``: a list that has what another collection has, or something of it where the slice has bounds."""
    items = iteration.exact_items(interp, value)
    part = node.slice if isinstance(node, ast.Subscript) else None
    if not isinstance(part, ast.Slice) or part.lower or part.upper or part.step:
        bounds = iteration.known_slice(interp, part) if isinstance(part, ast.Slice) else None
        known = list_places.with_slice(interp, obj, bounds, items)
        return known or containers.shuffled(obj, iteration.element(interp, value, None))
    element = None if items is not None else iteration.element(interp, value, None)
    return replace(obj, items=items, element=element)


def _with_some_entry(obj: Obj, pattern: str | None, value: Value) -> Obj:
    """A dict in which a further entry, or any that ``pattern`` may name, is ``value``."""
    attrs = {
        name: join_values(entry, value) if pattern is None or text_keys.may_be(name, pattern) else entry
        for name, entry in obj.attrs.items()
    }
    if pattern is not None:
        attrs.setdefault(pattern, value)
    element = value if obj.element is None else join_values(obj.element, value)
    return replace(obj, attrs=attrs, element=element)


def _has_every_item_replaced(interp: Interpreter, obj: Obj, node: ast.expr | None) -> bool:
    """Whether a loop gives each item of a list, of which none is known by itself, something else."""
    if containers.REPEATED in obj.facts and isinstance(obj.element, Tensor) and _is_filled(interp, node):
        return True
    return obj.kind == "list" and obj.items is None and replacing.has_its_turn(interp, node)


def _is_filled(interp: Interpreter, node: ast.expr | None) -> bool:
    """Whether ``node`` is an item whose index is the variable of the loop: every entry has its turn."""
    index = node.slice if isinstance(node, ast.Subscript) else None
    loops = interp.frame.loops
    return isinstance(index, ast.Name) and bool(loops) and index.id in loops[-1].names
