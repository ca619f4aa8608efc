"""Calls that are passed over: what they would change of what they are given is unknown from there on.

What such a call returns is known from others like it, with other objects.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import UNKNOWN_DEVICE
from devfix.analysis.domain.values import Function, Obj, Ref, Tensor, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn.modules import havoc
from devfix.analysis.reuse import reads
from devfix.analysis.text import own_attributes
from devfix.analysis.text.movers import handed_on, moved_parameters
from devfix.analysis.text.scope_names import parameters_of

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_METHODS = (ast.FunctionDef, ast.AsyncFunctionDef)


def forget(interp: Interpreter, function: Function, site: CallSite) -> None:
    """What a function assigns of its object, moves of what it is given, or hands on to what moves it, may be anywhere.

    A constructor hands on what it is given, to methods that move it perhaps.
    """
    if not isinstance(function.node, _METHODS):
        return
    given = [arg.value for arg in site.all_args()]
    if function.owner is not None and given and isinstance(given[0], Ref):
        _forget_assigned(interp, given[0], own_attributes.assigned_by(function.node))
    if function.node.name == "__init__":
        moved = given[1:]
    else:
        own = [part.arg for part in parameters_of(function.node)]
        named = {**dict(zip(own, [arg.value for arg in site.args], strict=False)), **_by_keyword(site)}
        moved = [named[name] for name in _moved(interp, function.node) if name in named]
    for value in moved:
        havoc(interp, value)


def _by_keyword(site: CallSite) -> dict[str, Value]:
    return {name: arg.value for name, arg in site.keywords.items()}


def _moved(interp: Interpreter, function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
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
