"""Models that are spread over devices (``device_map=``) or quantised: nobody else may move them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import ACCELERATOR, UNKNOWN_DEVICE
from devfix.analysis.domain.values import NONE, UNKNOWN, Const, Obj, Ref, Tensor, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: The fact that marks such a model; its value is the map.
FACT = "dispatched"
QUANTIZED = Const("quantized")
_SPREADING = frozenset({"auto", "balanced", "balanced_low_0", "sequential", "quantized"})


def refuses(interp: Interpreter, ref: Ref, site: CallSite) -> bool:
    """Whether a model must not be moved (written down), or may be but stays where it is.

    What another file does with the models that it is given, it does with others, too, and those have to be moved.
    """
    obj = interp.obj(ref)
    placed = obj.facts.get(FACT)
    if placed is None:
        return False
    is_own = not obj.trail or obj.trail[0].path == interp.frame.path
    if is_own and _is_spread(interp, placed):
        callee = site.node.func if isinstance(site.node, ast.Call) else None
        receiver = callee.value if isinstance(callee, ast.Attribute) else None
        model = Tensor(ACCELERATOR, trail=obj.trail)
        kind = "quantized" if placed == QUANTIZED else "spread"
        requirements.record(
            interp, site.node, "torch.nn.Module.to", "dispatched", [Part(model, "model", receiver)], how=kind
        )
    return True


def _is_spread(interp: Interpreter, placed: Value) -> bool:
    if isinstance(placed, Const):
        return placed.value in _SPREADING
    obj: Obj | None = interp.obj_of(placed)
    return obj is not None and obj.kind == "dict" and len(obj.attrs) > 1


def dispatch(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``accelerate.dispatch_model(model, device_map=...)`` and its kin."""
    model, placed = site.value(0, "model"), site.value(None, "device_map")
    if not isinstance(model, Ref) or not modules.is_module(interp, model):
        return UNKNOWN
    if placed is None and name.endswith("dispatch_model"):
        placed = site.value(1, "device_map")
    modules.transform(interp, model, lambda tensor: replace(tensor, device=UNKNOWN_DEVICE))
    if placed is not None and placed != NONE:
        interp.update(model, interp.obj(model).with_fact(FACT, placed))
    return model


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "accelerate.dispatch_model": dispatch,
    "accelerate.big_modeling.dispatch_model": dispatch,
    "accelerate.load_checkpoint_and_dispatch": dispatch,
    "accelerate.cpu_offload": dispatch,
}
