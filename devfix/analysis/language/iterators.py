"""Iterators: what a loop, or ``next``, gets of an object of the project."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.values import UNKNOWN, Class, Function, Scalar, Value
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.python import mappings

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def next_element(interp: Interpreter, value: Value, node: ast.expr | None) -> Value:
    """What ``next`` gets: of an object of the project whatever its own ``__next__`` returns."""
    obj = interp.obj_of(value)
    if obj is not None and obj.kind == "instance":
        return _next_of_instance(interp, value, node)
    return iteration.element(interp, value, node)


def _next_of_instance(interp: Interpreter, ref: Value, node: ast.expr | None) -> Value:
    """What ``next`` gets of an object of the project, be it its own iterator or not one to loop over."""
    obj = interp.obj_of(ref)
    assert obj is not None
    step = classes.find(interp, obj.cls, "__next__") if isinstance(obj.cls, Class) else None
    if not isinstance(step, Function):
        return iterate_instance(interp, ref, node)
    return interp.call_function(step, [ref], node if node is not None else ast.Constant(None))


def iterate_instance(interp: Interpreter, ref: Value, node: ast.expr | None) -> Value:
    """A typical element of an object of the project: by ``__iter__``, else ``__getitem__``."""
    obj = interp.obj_of(ref)
    assert obj is not None
    where = node if node is not None else ast.Constant(None, lineno=1, col_offset=0)
    if isinstance(obj.cls, Class):
        found = classes.find(interp, obj.cls, "__iter__") or classes.find(interp, obj.cls, "__aiter__")
        if isinstance(found, Function):
            iterator = interp.call_function(found, [ref], where)
            if iterator == ref:
                step = classes.find(interp, obj.cls, "__next__") or classes.find(interp, obj.cls, "__anext__")
                if isinstance(step, Function):
                    return interp.call_function(step, [ref], where)
                return UNKNOWN
            return iteration.element(interp, iterator, node)
        entries = mappings.wrapped(interp, obj)
        if entries is not None:
            return iteration.element(interp, entries, node)
        found = classes.find(interp, obj.cls, "__getitem__")
        if isinstance(found, Function):
            return interp.call_function(found, [ref], where, CallSite(where, (Arg(Scalar("int")),)))
    items = [*(obj.items or ()), *([obj.element] if obj.element is not None else [])]
    return join_all(items) if items else UNKNOWN
