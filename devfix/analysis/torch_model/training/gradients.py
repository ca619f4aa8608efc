"""Gradients that a program hands over itself: each must be where the output is that it belongs to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Sequence,
    Tensor,
    TupleValue,
    Unknown,
    Value,
    without_none,
)
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.tensors import operations, requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def grad(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.autograd.grad(outputs, inputs, grad_outputs)``: one gradient per input, where it is."""
    _meet(interp, site, name, site.get(0, "outputs"), site.get(2, "grad_outputs"))
    inputs = site.value(1, "inputs")
    inputs = without_none(inputs) if inputs is not None else None
    if isinstance(inputs, Tensor):
        return TupleValue((_gradient(interp, inputs, site),))
    if inputs is None:
        return UNKNOWN
    items = iteration.exact_items(interp, inputs)
    if items is not None:
        return TupleValue(tuple(_gradient(interp, item, site) for item in items))
    return Sequence(_gradient(interp, iteration.element(interp, inputs, None), site))


def backward(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.autograd.backward(tensors, grad_tensors)``; ``y.backward(gradient)`` with ``y`` before the rest."""
    _meet(interp, site, name, site.get(0, "tensors"), site.get(1, "grad_tensors", "gradient"))
    return NONE


def _meet(interp: Interpreter, site: CallSite, name: str, output: Arg | None, gradient: Arg | None) -> None:
    """A gradient without dimensions is taken along (``validate_outputs`` in torch/csrc/autograd/engine.cpp)."""
    if output is None or gradient is None:
        return
    for values in _pairs(interp, without_none(output.value), without_none(gradient.value)):
        pair = [
            Part(value, role, arg.node, held=value is not arg.value)
            for value, arg, role in zip(values, (output, gradient), ("outputs", "grad_outputs"), strict=True)
            if isinstance(value, Tensor) and value.rank != 0
        ]
        if len(pair) == 2:
            requirements.meet(interp, site.node, name, pair, scalars=False)


def _pairs(interp: Interpreter, output: Value, gradient: Value) -> list[tuple[Value, Value]]:
    """Each output and its gradient: one of each, or the items of two lists."""
    if isinstance(output, Tensor) and isinstance(gradient, Tensor):
        return [(output, gradient)]
    outputs, gradients = iteration.exact_items(interp, output), iteration.exact_items(interp, gradient)
    if outputs is not None and gradients is not None:
        return list(zip(outputs, gradients, strict=False))
    if any(isinstance(value, (Tensor, Unknown)) for value in (output, gradient)):
        return []
    return [(iteration.element(interp, output, None), iteration.element(interp, gradient, None))]


def _gradient(interp: Interpreter, value: Value, site: CallSite) -> Value:
    if not isinstance(value, Tensor):
        return UNKNOWN
    return replace(operations.derived(interp, [value], site, value.dtype, value.rank), grad=None)


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "torch.autograd.grad": grad,
    "torch.autograd.backward": backward,
}
