"""Wrapped forwards: a framework runs ``forward`` of a model under autocast, and makes what it gives wide again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import Class, Const, Ref, Tensor, Value
from devfix.analysis.torch_model.devices import autocast
from devfix.analysis.torch_model.loading import collation

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def call(interp: Interpreter, ref: Ref, forward: Callable[[], Value]) -> Value | None:
    """What ``forward`` gives in the precision that is known of a module; None where it is to be called as it is.

    Not all releases of all frameworks make halves wide again, so of these the dtype is not known afterwards. What
    models of libraries give of halves is not known so well.
    """
    obj = interp.obj(ref)
    wrapped = obj.facts.get(autocast.WRAPPED)
    precision = str(wrapped.value) if isinstance(wrapped, Const) else None
    if precision in autocast.HALVES and not isinstance(obj.cls, Class):
        precision = "?"
    is_told = interp.autocast == "?" and precision in autocast.HALVES
    if precision is None or not (interp.autocast is None or is_told):
        return None
    with autocast.within(interp, precision):
        made = forward()
    return _wide(interp, made) if precision in autocast.HALVES else made


def _wide(interp: Interpreter, made: Value) -> Value:
    obj = interp.obj_of(made)
    if obj is None or obj.kind != "external":
        return collation.each_tensor(interp, made, _forgotten)
    attrs = {name: _wide(interp, value) for name, value in obj.attrs.items()}
    element = _wide(interp, obj.element) if obj.element is not None else None
    return interp.new(replace(obj, attrs=attrs, element=element))


def _forgotten(tensor: Tensor) -> Tensor:
    return replace(tensor, dtype=None, typed=()) if tensor.dtype in autocast.HALVES else tensor
