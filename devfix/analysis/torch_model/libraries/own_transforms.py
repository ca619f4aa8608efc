"""Transforms of the project that descend from torchvision's second ones: they draw for all of a call, then change each input."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.values import (
    UNKNOWN,
    BoundMethod,
    Class,
    Function,
    Obj,
    Ref,
    Tensor,
    TupleValue,
    Value,
)
from devfix.analysis.language.frames import Arg, CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_BASES = frozenset({"torchvision.transforms.v2.Transform", "torchvision.transforms.v2._transform.Transform"})
#: What these methods are called, and were called before.
_DRAWING, _CHANGING = ("make_params", "_get_params"), ("transform", "_transform")


def are_among(bases: Iterable[str]) -> bool:
    """Whether a class with these bases is one."""
    return not _BASES.isdisjoint(bases)


def apply(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> Value:
    """``transform(image, ...)``: what becomes of one tensor, or of several that are in one place.

    Of several the first is changed for sure; whether the others are depends on their kinds.
    """
    given = [arg.value for arg in site.args]
    places = {value.device for value in given if isinstance(value, Tensor)}
    if site.open or not given or len(places) != 1 or not all(isinstance(value, Tensor) for value in given):
        return UNKNOWN
    drawn = _call(interp, ref, obj, _DRAWING, (interp.new(Obj("list", items=tuple(given))),), site)
    made = [_call(interp, ref, obj, _CHANGING, (given[0], drawn), site)]
    with interp.recorder.mute():
        made += [_call(interp, ref, obj, _CHANGING, (value, drawn), site) for value in given[1:]]
    return made[0] if len(made) == 1 else TupleValue(tuple(made))


def _call(
    interp: Interpreter, ref: Ref, obj: Obj, names: tuple[str, ...], given: tuple[Value, ...], site: CallSite
) -> Value:
    """Call the first of these methods that the project defines; without one nobody knows what comes of it."""
    for name in names:
        found = classes.find(interp, obj.cls, name) if isinstance(obj.cls, Class) else None
        if isinstance(found, Function):
            return interp.call(BoundMethod(found, ref), CallSite(site.node, tuple(map(Arg, given))))
    return UNKNOWN
