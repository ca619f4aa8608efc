"""Reparametrizations: functions of ``torch.nn`` that change how a module keeps its weights, and return it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis import attributes, calls
from devfix.analysis.frames import Arg, CallSite
from devfix.analysis.modules import is_module
from devfix.analysis.torch_model import requirements
from devfix.analysis.torch_model.requirements import Part
from devfix.analysis.values import UNKNOWN, Const, External, Obj, Ref, Tensor, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def same(interp: Interpreter, name: str, site: CallSite) -> Value:
    """The module that was given: its parameters stay where they are."""
    return site.value(0, "module") or UNKNOWN


def register(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``register_parametrization(module, "weight", parametrization)``: called with the weight now, and a child from then on."""
    module, weight = _parameter(interp, site)
    given = site.get(2, "parametrization")
    if isinstance(module, Ref) and weight is not None and given is not None:
        calls.call(interp, given.value, CallSite(site.node, (Arg(weight[1], site.node),)))
        if is_module(interp, given.value):
            entries = Obj("module", External("torch.nn.ModuleDict"), attrs={weight[0]: given.value})
            interp.update(module, interp.obj(module).with_attr("parametrizations", interp.new(entries)))
    return module


def mask(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``custom_from_mask(module, "weight", mask)``: the weight is multiplied with the mask where it is."""
    module, weight = _parameter(interp, site)
    given = site.get(2, "mask")
    if weight is not None and given is not None and isinstance(given.value, Tensor):
        parts = [Part(weight[1], "weight"), Part(given.value, "mask", given.node)]
        requirements.meet(interp, site.node, name, parts, scalars=False)
    return module


def _parameter(interp: Interpreter, site: CallSite) -> tuple[Value, tuple[str, Tensor] | None]:
    """The module of a call, and its parameter that the second argument names."""
    module = site.value(0, "module") or UNKNOWN
    named = site.value(1, "tensor_name") or site.value(1, "name")
    if not isinstance(named, Const) or not isinstance(named.value, str) or not is_module(interp, module):
        return module, None
    tensor = attributes.get_attribute(interp, module, named.value, site.node)
    return module, (named.value, tensor) if isinstance(tensor, Tensor) else None


_LIKE_THEIR_MODULE = (
    "torch.nn.utils.weight_norm",
    "torch.nn.utils.remove_weight_norm",
    "torch.nn.utils.spectral_norm",
    "torch.nn.utils.remove_spectral_norm",
    "torch.nn.utils.parametrizations.weight_norm",
    "torch.nn.utils.parametrizations.spectral_norm",
    "torch.nn.utils.parametrizations.orthogonal",
    "torch.nn.SyncBatchNorm.convert_sync_batchnorm",
)

HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **dict.fromkeys(_LIKE_THEIR_MODULE, same),
    "torch.nn.utils.parametrize.register_parametrization": register,
    "torch.nn.utils.prune.custom_from_mask": mask,
}
