"""Calls that are passed over: what they would change of what they are given is unknown from there on.

What such a call returns is known from others like it, with other objects.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import UNKNOWN_DEVICE
from devfix.analysis.domain.values import TRUE, Class, Function, Obj, Ref, Tensor, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn.modules import UNMADE, havoc, is_module
from devfix.analysis.reuse import reads
from devfix.analysis.text import own_attributes
from devfix.analysis.text.movers import handed_on, moved_parameters, refilled_parameters
from devfix.analysis.text.scope_names import parameters_of

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_METHODS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Method = ast.FunctionDef | ast.AsyncFunctionDef
#: So many methods that call one another are looked at.
_MAX_METHODS = 12


def forget(interp: Interpreter, function: Function, site: CallSite) -> None:
    """What a function changes of its object, moves or sets of what it is given, or hands on to what moves it, may be anywhere.

    A constructor hands on what it is given, to methods that move it perhaps.
    """
    if not isinstance(function.node, _METHODS):
        return
    given = [arg.value for arg in site.all_args()]
    if function.owner is not None and given and isinstance(given[0], Ref):
        _forget_changed(interp, given[0], function.node, set())
    own = [part.arg for part in parameters_of(function.node)]
    named = {**dict(zip(own, [arg.value for arg in site.args], strict=False)), **_by_keyword(site)}
    if function.node.name == "__init__":
        moved = given[1:]
    else:
        moved = [named[name] for name in _moved(interp, function.node) if name in named]
    for value in moved:
        havoc(interp, value)
    for name in refilled_parameters(function.node) & named.keys():
        havoc(interp, named[name], everything=True)


def leave_unmade(interp: Interpreter, function: Function, given: Sequence[Value]) -> None:
    """Of a module whose constructor is passed over nobody knows what is registered in it."""
    made = given[0] if given and function.owner is not None else None
    if isinstance(made, Ref) and getattr(function.node, "name", "") == "__init__" and is_module(interp, made):
        interp.update(made, interp.obj(made).with_fact(UNMADE, TRUE))


def _by_keyword(site: CallSite) -> dict[str, Value]:
    return {name: arg.value for name, arg in site.keywords.items()}


def _moved(interp: Interpreter, function: _Method) -> frozenset[str]:
    """The parameters that a function moves, by itself or by others."""
    known = interp.library.moved.get(function)
    if known is not None:
        reads.moves_again(interp, known[1])
        return known[0]
    found = set(moved_parameters(function))
    asked: list[tuple[str, int | str]] = []
    for name, called, place in handed_on(function):
        if name not in found:
            asked.append((called, place))
            if reads.moves(interp, called, place):
                found.add(name)
    interp.library.moved[function] = frozenset(found), reads.as_moves(asked)
    return frozenset(found)


def _forget_changed(
    interp: Interpreter, receiver: Ref, method: _Method, seen: set[tuple[int, _Method]]
) -> None:
    """What a method assigns of its object, and what those assign that it calls of it and of the objects that it holds."""
    if (receiver.address, method) in seen or len(seen) == _MAX_METHODS:
        return
    seen.add((receiver.address, method))
    attrs = interp.obj(receiver).attrs
    _forget_assigned(interp, receiver, own_attributes.assigned_by(method))
    for holder, name in own_attributes.methods_called(method):
        called = attrs.get(holder) if holder else receiver
        cls = obj.cls if isinstance(called, Ref) and (obj := interp.obj_of(called)) is not None else None
        found = classes.find(interp, cls, name) if isinstance(cls, Class) else None
        if isinstance(called, Ref) and isinstance(found, Function) and isinstance(found.node, _METHODS):
            _forget_changed(interp, called, found.node, seen)


def _forget_assigned(interp: Interpreter, receiver: Ref, changing: frozenset[str]) -> None:
    obj = interp.obj(receiver)
    later = _with_lost_buffers(own_attributes.without(obj, changing), changing)
    if later is not obj:
        interp.update(receiver, later)


def _with_lost_buffers(obj: Obj, changing: frozenset[str]) -> Obj:
    """An object whose buffers of these names are anywhere, and still its buffers."""
    lost = {
        name: replace(value, device=UNKNOWN_DEVICE, dtype=None, split=None)
        for name in changing & obj.buffers
        if isinstance(value := obj.attrs.get(name), Tensor)
    }
    return replace(obj, attrs={**obj.attrs, **lost}) if lost else obj
