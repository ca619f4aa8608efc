"""Recurrent states: what a recurrent layer is given beside its input, of which an LSTM takes two."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import Sequence, Tensor, TupleValue, Value, members, without_none
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.modules.layer_specs import LayerSpec

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def flattened(interp: Interpreter, spec: LayerSpec, name: str, weight: Tensor, site: CallSite) -> CallSite:
    """An LSTM takes its two states as a tuple: one stands for both, one that does not fit if there is such."""
    if "hx" not in spec.inputs:
        return site
    data, arg = site.get(0, "input"), site.get(1, "hx")
    if data is None or arg is None:
        return site
    value = _state_for(name, arg.value)
    items = (value.element,) if isinstance(value, Sequence) else iteration.exact_items(interp, value)
    if not items:
        return replace(site, args=(data, Arg(value, arg.node)), keywords={})
    tensors = [item for item in items if isinstance(item, Tensor)]
    if not tensors:
        return site
    worst = max(tensors, key=lambda tensor: (_is_on_host(tensor), _is_of_another_dtype(tensor, weight)))
    parts = arg.node.elts if isinstance(arg.node, ast.Tuple) else []
    node = next((part for part, item in zip(parts, items, strict=False) if item is worst), None)
    return replace(site, args=(data, Arg(worst, node or arg.node)), keywords={})


def _is_on_host(tensor: Tensor) -> int:
    """Whether a state is on the CPU: for certain (2), on a path (1), or not as far as is known (0)."""
    if tensor.device.kind == "cpu":
        return 2
    return int(tensor.is_parted)


def _is_of_another_dtype(tensor: Tensor, weight: Tensor) -> bool:
    return None not in (tensor.dtype, weight.dtype) and tensor.dtype != weight.dtype


def _state_for(name: str, value: Value) -> Value:
    """Of a first state that is a tensor or a pair of them, as an option has it, the one that the layer takes."""
    pair = name.startswith("LSTM")
    kinds = (TupleValue, Sequence)
    fitting = tuple(m for m in members(without_none(value)) if isinstance(m, kinds) == pair)
    return fitting[0] if len(fitting) == 1 else value
