"""Recursion: how deep functions that call themselves are followed, and what holds below that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.values import UNKNOWN, Const, Function, Ref, Scalar, Tensor, TupleValue, Value
from devfix.analysis.language.frames import CallSite, Frame
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.modules import module_walks

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_MAX_LEVELS = 3
#: On the way down through nested data, or from one known number or text to the next.
_MAX_DESCENT = 6
#: On the way down through the parts of a model, or a chain of functions.
_MAX_PARTS = 12


def is_active(interp: Interpreter, function: Function) -> bool:
    """Whether a call of the function is a recursive one."""
    node = function.node
    for frame in interp.stack:
        called = frame.function
        if called is not None and called.node is node and frame.kind == "function":
            return True
    return False


def is_too_deep(interp: Interpreter, function: Function, site: CallSite) -> bool:
    """Whether a recursive call is one too many to be followed."""
    if not is_active(interp, function):
        return False
    active = _activations(interp, function)
    if len(active) < _MAX_LEVELS:
        return False
    if _goes_to_part(interp, active[0], site) or _is_another(function, active):
        return len(active) >= _MAX_PARTS
    return len(active) >= _MAX_DESCENT or not (_descends(interp, active[0], site) or _counts(active[0], site))


def _is_another(function: Function, active: list[Frame]) -> bool:
    """Whether a function was made before those that call it began, and is none of them: one of a chain, each around the next."""
    closed_over = {frame.function.frame for frame in active if frame.function is not None}
    return function.frame not in closed_over and function.frame < active[-1].id


def cut(interp: Interpreter, function: Function) -> Value:
    """A recursion that is not followed any deeper: this path ends, as if only the others returned.

    What a function does at the next level it has done at those before. Where no other path returns, the call
    around this one is taken for one that is not followed.
    """
    _activations(interp, function)[0].is_cut = True
    interp.cuts += 1
    interp.state.dead = True
    return UNKNOWN


def _activations(interp: Interpreter, function: Function) -> list[Frame]:
    """The calls of a function that have not returned, the innermost first."""
    node = function.node
    return [
        frame
        for frame in reversed(interp.stack)
        if (called := frame.function) is not None and called.node is node and frame.kind == "function"
    ]


def _descends(interp: Interpreter, caller: Frame, site: CallSite) -> bool:
    """Whether a call is given data whose parts are known: a recursion ends with the data, be it with a number."""
    value = site.args[0].value if site.args else UNKNOWN
    if isinstance(value, (Const, Scalar)):
        return bool(caller.given) and _is_container(interp, caller.given[0])
    return isinstance(value, Tensor) or _is_container(interp, value)


def _is_container(interp: Interpreter, value: Value) -> bool:
    obj = interp.obj_of(value)
    return isinstance(value, TupleValue) or (obj is not None and obj.kind in ("list", "dict"))


def _goes_to_part(interp: Interpreter, caller: Frame, site: CallSite) -> bool:
    """Whether a call is given a part of the module that the call around it was given: a recursion ends with the leaves."""
    given = (arg.value for arg in site.all_args())
    return any(
        isinstance(whole, Ref)
        and isinstance(part, Ref)
        and part != whole
        and modules.is_module(interp, whole)
        and not module_walks.is_closed(interp, whole)
        and part in modules.tree(interp, whole)
        for whole, part in zip(caller.given, given, strict=False)
    )


def _counts(caller: Frame, site: CallSite) -> bool:
    """Whether a number or text differs from what the call around this one was given, and all of them are known."""
    given = tuple(arg.value for arg in site.all_args())
    pairs = zip(caller.given, given, strict=False)
    return any(isinstance(new, Const) and isinstance(old, Const) and new != old for old, new in pairs)
