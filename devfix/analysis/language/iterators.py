"""Iterators: what a loop, or ``next``, gets of an object of the project, and how far one over known items has come."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from devfix.analysis.domain import classes
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.values import (
    UNKNOWN,
    Class,
    Const,
    Function,
    Obj,
    Ref,
    Scalar,
    Sequence,
    TupleValue,
    Value,
)
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.reuse import reads
from devfix.analysis.text.scope_names import own_nodes
from devfix.analysis.text.syntax import in_rows, remembered
from devfix.analysis.torch_model.python import mappings

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def begun(interp: Interpreter, value: Value, held: Value) -> Value:
    """``iter(value)``, which gives one item after the other where they are ``held`` one by one; any other value itself."""
    obj = interp.obj_of(value)
    if (obj is not None and obj.cls == iteration.ITERATOR) or iteration.exact_items(interp, held) is None:
        return value
    result = value.result if isinstance(value, Sequence) else None
    kept = {} if result is None else {iteration.RESULT: result}
    attrs = {iteration.SOURCE: held, iteration.PLACE: Const(0), **kept}
    return interp.new(Obj("external", iteration.ITERATOR, attrs=attrs))


def step(interp: Interpreter, value: Value, node: ast.expr | None) -> Value | None:
    """The item that ``next`` takes where it is known which; None where it is not.

    A generator that the function (or script) has made, and only asks in turn, is from there on known as an iterator.
    """
    if isinstance(value, Sequence) and isinstance(node, ast.Name) and _is_asked_in_turn(interp, value, node):
        value = begun(interp, value, TupleValue(value.row))
        if not all(loop.exact for loop in interp.frame.loops):
            iteration.lose_place(interp, value)
        interp.rebind(node.id, value)
    items, obj = iteration.left(interp, value), interp.obj_of(value)
    if isinstance(value, Ref) and obj is not None and obj.cls == iteration.ITERATOR:
        place = obj.attrs[iteration.PLACE]
        if iteration.is_executed_once(interp):  # each of them is taken in one of the rounds
            iteration.lose_place(interp, value)
            return join_all(list(items), split=True) if items else None
        if isinstance(place, Const) and isinstance(place.value, int):
            interp.update(value, obj.with_attr(iteration.PLACE, Const(place.value + 1)))
    return items[0] if items else None


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``iterator.__next__()``, which is what ``next`` calls."""
    if name == "__iter__":
        return ref
    if name != "__next__":
        iteration.lose_place(interp, ref)
        return UNKNOWN
    found = step(interp, ref, None)
    return next_element(interp, ref, None) if found is None else found


def _is_asked_in_turn(interp: Interpreter, generator: Sequence, node: ast.Name) -> bool:
    if not generator.row:
        return False
    asked = _asked_in_turn(reads.scope(interp)).get(node.id)
    if asked is None or (asked.loop is not None and asked.loop < (node.lineno, node.col_offset)):
        return False
    return any(interp.site("result", maker) == generator.made for maker in asked.makers)


class _Asked(NamedTuple):
    """The calls that make the generators a name stands for, and where the first loop over it is, which takes who knows how many."""

    makers: list[ast.Call]
    loop: tuple[int, int] | None


@remembered
def _asked_in_turn(scope: ast.AST) -> dict[str, _Asked]:
    """The names of a scope that are given what calls return, with these, and stand nowhere else but in loops and ``next``."""
    body = scope.body if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)) else []
    nodes = list(own_nodes(body, _DEFINITIONS))
    asking = {
        id(node.args[0]) for node in nodes if isinstance(node, ast.Call) and _is_next(node.func) and node.args
    }
    iterated = [node.iter for node in nodes if isinstance(node, (ast.For, ast.comprehension))]
    asking |= set(map(id, iterated))
    looped: dict[str, list[tuple[int, int]]] = {}
    for each in iterated:
        if isinstance(each, ast.Name):
            looped.setdefault(each.id, []).append((each.lineno, each.col_offset))
    made: dict[str, list[ast.Call]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    made.setdefault(target.id, []).append(node.value)
    every = (part for each in body for part in in_rows(each) if isinstance(part, ast.Name))
    handed_on = {part.id for part in every if isinstance(part.ctx, ast.Load) and id(part) not in asking}
    return {
        name: _Asked(makers, min(looped.get(name, ()), default=None))
        for name, makers in made.items()
        if name not in handed_on
    }


def _is_next(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) and function.id in ("next", "anext")


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
