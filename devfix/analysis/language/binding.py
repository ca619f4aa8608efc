"""Binding: what an assignment does with a value."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.values import (
    UNKNOWN,
    Array,
    Ref,
    Tensor,
    TupleValue,
    Union,
    Unknown,
    Value,
    members,
    without_none,
)
from devfix.analysis.language import iteration, just_put, list_places, raising, storing
from devfix.analysis.nn import modules
from devfix.analysis.record.notes import note_binding
from devfix.analysis.record.trails import extend
from devfix.analysis.torch_model.loading import batch_mates, file_parts

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def bind(interp: Interpreter, target: ast.expr, value: Value, statement: ast.stmt | ast.expr | None) -> None:
    """Assign ``value`` to a target of any form."""
    if isinstance(target, ast.Name):
        bind_name(interp, target, value, statement)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(interp, target, value, statement)
    elif isinstance(target, ast.Starred):
        bind(interp, target.value, value, statement)
    elif isinstance(target, ast.Attribute):
        holder, owner = target.value, None
        if target.attr == "data" and isinstance(holder, ast.Attribute):
            owner = interp.eval(holder.value)
            receiver = interp.attribute(owner, holder.attr, holder)
        else:
            receiver = interp.eval(holder)
        storing.set_attribute(interp, receiver, target.attr, value, target, statement, owner)
    elif isinstance(target, ast.Subscript):
        modules.collect(interp, value, statement.value if isinstance(statement, ast.Assign) else None)
        storing.set_item(interp, target, value)


def bind_name(
    interp: Interpreter, target: ast.Name, value: Value, statement: ast.stmt | ast.expr | None
) -> None:
    """Assign to a plain name and write down what it now stands for."""
    if isinstance(value, Array):
        # What nobody saw begin is an array all the same, wherever it goes from here.
        value = replace(
            value, trail=extend(value.trail, interp.site("name" if value.trail else "array", target))
        )
    elif isinstance(value, Tensor):
        value = value.at(interp.site("name", target))
    elif isinstance(value, Unknown):
        value = batch_mates.bound(interp, value, target, statement)
    elif isinstance(value, (Ref, Union)) and isinstance(statement, (ast.Assign, ast.AnnAssign)):
        chosen = members(value)  # a function may have chosen one of several models
        if len(chosen) == 1 or all(modules.is_module(interp, each) for each in chosen):
            for each in chosen:
                modules.remember(interp, each, interp.site("name", target))
    innermost = interp.stack[-1]
    frame = target_frame(interp, target.id)
    interp.assign(frame, target.id, value)
    just_put.forget(interp, frame, target.id)
    interp.saw(target, value)
    scope = "" if frame == innermost.module else innermost.scope
    note_binding(interp, innermost.path, scope, target.id, value, statement)


@contextmanager
def outside_comprehensions(interp: Interpreter) -> Iterator[None]:
    """In the block the innermost activation is the one in which the comprehensions stand that are being evaluated."""
    within = []
    while interp.stack[-1].kind == "comprehension":
        within.append(interp.stack.pop())
    try:
        yield
    finally:
        interp.stack.extend(reversed(within))


def target_frame(interp: Interpreter, name: str) -> int:
    """The frame in which assigning to ``name`` binds it."""
    frame = interp.stack[-1]
    if name in frame.globals:
        return frame.module
    if name in frame.nonlocals:
        outer = frame.parent
        while outer is not None:
            if interp.state.get(outer, name) is not None:
                return outer
            outer = interp.parents.get(outer)
    return frame.id


def _unpack(
    interp: Interpreter, target: ast.Tuple | ast.List, value: Value, statement: ast.stmt | ast.expr | None
) -> None:
    count = len(target.elts)
    star = next((i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)), None)
    value = _of_length(interp, without_none(value), count, star is not None)
    if raising.does_not_fit(interp, value, target):
        return
    kinds = [_parts(interp, member, count, star) for member in members(value)]
    parts = [join_all(list(each)) for each in zip(*kinds, strict=True)]
    parts = batch_mates.named(interp, target, parts, statement)
    for part_target, part in zip(target.elts, parts, strict=True):
        bind(interp, part_target, part, statement)


def _parts(interp: Interpreter, value: Value, count: int, star: int | None) -> list[Value]:
    """What each of so many targets is given."""
    items = iteration.unpacked(interp, value)
    if items is None or (star is None and len(items) != count) or len(items) < count - 1:
        if isinstance(value, TupleValue):
            return [UNKNOWN] * count  # it raises: of several functions this is not the one that is given it
        return [file_parts.item(interp, value) or iteration.element(interp, value, None)] * count
    if star is None:
        return list(items)
    tail = count - star - 1
    middle = iteration.new_list(interp, items[star : len(items) - tail])
    if iteration.has_grown(interp, value):
        interp.update(middle, list_places.grown(interp.obj(middle), 1))
    return [*items[:star], middle, *items[len(items) - tail :]]


def _of_length(interp: Interpreter, value: Value, count: int, open_ended: bool) -> Value:
    """Of several possible collections those that can be unpacked into so many targets; all, where none can."""
    if not isinstance(value, Union):
        return value
    fitting: list[Value] = []
    for member in value.members:
        items = iteration.exact_items(interp, member)
        if items is None or len(items) == count or (open_ended and len(items) >= count - 1):
            fitting.append(member)
    if not fitting or len(fitting) == len(value.members):
        return value
    return fitting[0] if len(fitting) == 1 else Union(tuple(fitting))
