"""Reparametrizations: functions of ``torch.nn`` that change how a module keeps its weights, and return it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import (
    NONE,
    TRUE,
    UNKNOWN,
    Const,
    External,
    Obj,
    Ref,
    Tensor,
    Value,
    members,
)
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn.modules import is_module
from devfix.analysis.torch_model.python import copies
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: The attribute of a module that holds its parametrizations, and that of those which holds the parameter.
NAME, ORIGINAL = "parametrizations", "original"


def same(interp: Interpreter, name: str, site: CallSite) -> Value:
    """The module that was given: its parameters stay where they are."""
    return site.value(0, "module") or UNKNOWN


def register(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``register_parametrization(module, "weight", parametrization)``: called with the weight whenever that is asked for.

    Of several modules, which a loop goes through, each has it.
    """
    given = site.get(2, "parametrization")
    found = site.value(0, "module") or UNKNOWN
    if given is not None and is_module(interp, given.value):
        for module in members(found):
            _attach(interp, site, module, given.value)
    return found


def _attach(interp: Interpreter, site: CallSite, module: Value, part: Value) -> None:
    weight = _parameter(interp, site, module)
    if not isinstance(module, Ref) or weight is None:
        return
    entries, chain = _chain(interp, module, weight[0])
    if chain is None:
        original = {ORIGINAL: weight[1]}
        chain = interp.new(Obj("module", External("torch.nn.ModuleList"), attrs=original, items=()))
        interp.update(entries, interp.obj(entries).with_attr(weight[0], chain))
        interp.update(module, _without(interp.obj(module), weight[0]))
    parts = interp.obj(chain)
    interp.update(chain, replace(parts, items=(*(parts.items or ()), part)))
    interp.call(part, CallSite(site.node, (Arg(weight[1], site.node),)))


def is_parametrized(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``is_parametrized(module, "weight")``: known where that was registered."""
    module, named = site.value(0, "module") or UNKNOWN, site.value(1, "tensor_name")
    entries = interp.obj_of(interp.obj(module).attrs.get(NAME)) if isinstance(module, Ref) else None
    key = str(named.value) if isinstance(named, Const) else ""
    if entries is None:
        return UNKNOWN
    return TRUE if key in entries.attrs or (named in (None, NONE) and entries.attrs) else UNKNOWN


def _chain(interp: Interpreter, module: Ref, name: str) -> tuple[Ref, Ref | None]:
    """What holds a module's parametrizations, and those of one of its parameters."""
    entries = interp.obj(module).attrs.get(NAME)
    if not isinstance(entries, Ref):
        entries = interp.new(Obj("module", External("torch.nn.ModuleDict")))
        interp.update(module, interp.obj(module).with_attr(NAME, entries))
    chain = interp.obj(entries).attrs.get(name)
    return entries, chain if isinstance(chain, Ref) else None


def _without(obj: Obj, name: str) -> Obj:
    return replace(obj, attrs={key: value for key, value in obj.attrs.items() if key != name})


def computed(interp: Interpreter, obj: Obj, name: str, node: ast.expr) -> Value | None:
    """``module.weight`` where it has parametrizations: what they make of the parameter, one after the other."""
    entries = interp.obj_of(obj.attrs.get(NAME))
    chain = interp.obj_of(entries.attrs.get(name)) if entries is not None else None
    if chain is None:
        return None
    value: Value | None = chain.attrs.get(ORIGINAL, obj.place)
    for part in chain.items or ():
        value = interp.call(part, CallSite(node, (Arg(value or UNKNOWN, None),)))
    return value


def compute(interp: Interpreter, ref: Ref, node: ast.expr) -> None:
    """A layer of torch's own is called: it asks for each of its parameters that have parametrizations."""
    obj = interp.obj(ref)
    entries = interp.obj_of(obj.attrs.get(NAME))
    for name in entries.attrs if entries is not None else ():
        computed(interp, obj, name, node)


def remove(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``remove_parametrizations(module, "weight")``: the parameter is itself again."""
    module, named = site.value(0, "module") or UNKNOWN, site.value(1, "tensor_name")
    entries = interp.obj(module).attrs.get(NAME) if isinstance(module, Ref) else None
    if not isinstance(module, Ref) or not isinstance(entries, Ref) or not isinstance(named, Const):
        return module
    key = str(named.value)
    chain = interp.obj_of(interp.obj(entries).attrs.get(key))
    interp.update(entries, _without(interp.obj(entries), key))
    if chain is not None and ORIGINAL in chain.attrs and interp.obj(module).kind == "instance":
        interp.update(module, interp.obj(module).with_attr(key, chain.attrs[ORIGINAL]))
    return module


def mask(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``custom_from_mask(module, "weight", mask)``: the weight is multiplied with the mask where it is."""
    module = site.value(0, "module") or UNKNOWN
    weight = _parameter(interp, site, module)
    given = site.get(2, "mask")
    if weight is not None and given is not None and isinstance(given.value, Tensor):
        parts = [Part(weight[1], "weight"), Part(given.value, "mask", given.node)]
        requirements.meet(interp, site.node, name, parts, scalars=False)
    return module


def _parameter(interp: Interpreter, site: CallSite, module: Value) -> tuple[str, Tensor] | None:
    """The parameter of a module that the second argument of a call names."""
    named = site.value(1, "tensor_name") or site.value(1, "name")
    if not isinstance(named, Const) or not isinstance(named.value, str) or not is_module(interp, module):
        return None
    tensor = interp.attribute(module, named.value, site.node)
    return (named.value, tensor) if isinstance(tensor, Tensor) else None


def copied(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``fuse_conv_bn_eval(conv, norm)``: a copy of the layer, where that is."""
    return copies.copied(interp, site.value(0) or UNKNOWN, site)


def skip_init(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``skip_init(nn.Linear, 4, 2, device=device)``: the module, whose parameters nobody fills."""
    made = site.value(0, "module_cls")
    if made is None:
        return UNKNOWN
    own = {key: arg for key, arg in site.keywords.items() if key != "module_cls"}
    return interp.call(made, replace(site, args=site.args[1:], keywords=own))


_PRUNING = "identity random_unstructured l1_unstructured random_structured ln_structured remove".split()
_LIKE_THEIR_MODULE = (
    *(f"torch.nn.utils.prune.{name}" for name in _PRUNING),
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
    "torch.nn.utils.parametrize.remove_parametrizations": remove,
    "torch.nn.utils.parametrize.is_parametrized": is_parametrized,
    "torch.nn.utils.prune.custom_from_mask": mask,
    "torch.nn.utils.skip_init": skip_init,
    **dict.fromkeys(
        (
            "torch.nn.utils.fuse_conv_bn_eval",
            "torch.nn.utils.fuse_linear_bn_eval",
            "torch.nn.utils.fusion.fuse_conv_bn_eval",
        ),
        copied,
    ),
}
