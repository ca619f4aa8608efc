"""Displays: tuples, lists, sets and dicts that are written out."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.assumptions import device_keys, unsure_entries
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all, join_elements, join_values
from devfix.analysis.domain.values import UNKNOWN, Const, Obj, Sequence, TupleValue, Value
from devfix.analysis.language import containers, iteration, list_places, object_keys
from devfix.analysis.nn import modules

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def tuple_(interp: Interpreter, node: ast.Tuple) -> Value:
    """A tuple of known items; a sequence of what they have in common where something starred has no known length."""
    items, exact, grew = _items(interp, node.elts)
    return TupleValue(tuple(items)) if exact and grew is None else Sequence(join_elements(items, split=exact))


def list_(interp: Interpreter, node: ast.List) -> Value:
    """A new list object; with what all elements have in common where something starred has no known length."""
    items, exact, grew = _items(interp, node.elts)
    if not exact:
        return interp.new(Obj("list", element=join_elements(items), trail=(interp.site("other", node),)))
    made = iteration.new_list(interp, tuple(items), node)
    if grew is not None:
        interp.update(made, list_places.grown(interp.obj(made), grew))
    return made


def _items(interp: Interpreter, elements: list[ast.expr]) -> tuple[list[Value], bool, int | None]:
    """The items of a display, whether they are known one by one, and behind how many a starred list has grown.

    Of a starred part of unknown length one stands for all.
    """
    found: list[Value] = []
    exact, grew = True, None
    for part in elements:
        value = interp.eval(part.value if isinstance(part, ast.Starred) else part)
        modules.collect(interp, value, part)
        items = iteration.unpacked(interp, value) if isinstance(part, ast.Starred) else (value,)
        exact = exact and items is not None
        if grew is None and isinstance(part, ast.Starred) and iteration.has_grown(interp, value):
            grew = len(found) + list_places.begin(interp.obj_of(value) or Obj("list"))
        found.extend(items if items is not None else [iteration.element(interp, value, part)])
    return found, exact, grew


def set_(interp: Interpreter, node: ast.Set) -> Value:
    """A new set object: with its items where all are constants, else with what they have in common."""
    items, exact, grew = _items(interp, node.elts)
    if items and exact and grew is None and all(isinstance(item, Const) for item in items):
        return interp.new(Obj("set", items=tuple(dict.fromkeys(items))))
    return interp.new(Obj("set", element=join_all(items) if items else UNKNOWN))


def dict_(interp: Interpreter, node: ast.Dict) -> Value:
    """A new dict object: a value for each constant key, and one for all the others.

    ``**`` of a known dict adds its keys, ``**`` of anything else makes the rest unknown.
    """
    attrs: dict[str, Value] = {}
    element: Value | None = None
    objects: list[Value] = []
    pairs: list[tuple[Value, Value]] = []
    unsure: frozenset[str] = frozenset()
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        value = interp.eval(value_node)
        modules.collect(interp, value, value_node)
        if key_node is None:
            held, others = containers.entries(interp, value) or ({}, UNKNOWN)
            at_times = unsure_entries.of(interp.obj_of(value))
            unsure |= at_times.difference(attrs)
            attrs = containers.merged(attrs, held, at_times)
            element = others if element is None or others == UNKNOWN else element
            objects += [UNKNOWN] if others is not None else []
            continue
        told = interp.eval(key_node)
        key = iteration.dict_key(told)
        if key is None:
            objects.append(told)
            pairs.append((told, value))
            element = value if element is None else join_values(element, value)
        else:
            attrs[key] = value
    made = object_keys.added(Obj("dict", attrs=attrs, trail=(interp.site("other", node),)), *objects)
    if len(pairs) == len(objects):  # nothing is there that nobody knows
        for told, value in pairs:
            made = object_keys.with_entry(made, made, told, value)
        made = device_keys.written_out(made, pairs)
    return interp.new(replace(unsure_entries.marked(made, unsure), element=element))
