"""Rebinding: what a name or an attribute refers to has become another value."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_values
from devfix.analysis.domain.values import Ref, Tensor, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def rebind(interp: Interpreter, holder: ast.expr, value: Value, owner: Value | None = None) -> None:
    """What a name or attribute refers to was changed in place: from now on it is ``value``.

    ``owner`` is what has the attribute, where that is known: it need not be looked up once more.
    """
    if isinstance(holder, ast.Name):
        interp.assign(frame_of(interp, holder.id), holder.id, value)
    elif isinstance(holder, ast.Attribute):
        owner = interp.eval(holder.value) if owner is None else owner
        obj = interp.obj_of(owner)
        if not isinstance(owner, Ref) or obj is None:
            return
        if holder.attr in obj.attrs:
            interp.update(owner, obj.with_attr(holder.attr, value))
        elif obj.place is not None and isinstance(value, Tensor):
            # One of a layer's parameters, which all have one description.
            place = join_values(obj.place, value)
            interp.update(owner, replace(obj, place=place if isinstance(place, Tensor) else None))


def frame_of(interp: Interpreter, name: str) -> int:
    """The frame whose name ``name`` is: this one, one around it, or this one where nobody has it."""
    frame: int | None = interp.frame.id
    interp.reads.add((interp.frame.module, name))
    while frame is not None:
        if interp.state.get(frame, name) is not None:
            return frame
        frame = interp.parents.get(frame)
    return interp.frame.id
