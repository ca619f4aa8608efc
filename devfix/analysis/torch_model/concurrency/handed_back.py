"""Handed back: what a function of another process returns, of which whoever started it gets a copy."""

from __future__ import annotations

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import UNKNOWN, Array, Const, Scalar, Tensor, TupleValue, Value
from devfix.findings import Origin


def received(result: Value, arrival: Origin) -> Value:
    """What arrives at a place: numbers, texts, arrays and tensors as they were; objects are others by then."""
    if isinstance(result, TupleValue):
        return result.with_items(received(item, arrival) for item in result.items)
    if isinstance(result, Tensor) and not result.parameter and result.owner is None and not result.grad:
        return replace(result, trail=(arrival,), roots=(), typed=())
    return result if isinstance(result, (Const, Scalar, Array)) else UNKNOWN


def is_only_moved(result: Value, use: Origin) -> bool:
    """Whether a use of the accelerator moves a part of what is handed back, and nothing is computed of that afterwards."""
    items = result.items if isinstance(result, TupleValue) else (result,)
    moved = [item for item in items if isinstance(item, Tensor) and item.device.is_accelerator]
    return any(_begins(item, use) for item in moved)


def _begins(tensor: Tensor, use: Origin) -> bool:
    first = tensor.trail[0] if tensor.trail else None
    return first is not None and first.kind == "move" and (first.path, first.span) == (use.path, use.span)
