"""Forward hooks: functions that a module calls with what goes in and what comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis import calls
from devfix.analysis.copying import replace
from devfix.analysis.frames import Arg, CallSite
from devfix.analysis.values import NONE, UNKNOWN, External, Obj, Ref, Tensor, TupleValue, Unknown, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_FACT = "forward hooks"
_BEFORE = "forward pre-hooks"
_HANDLE = External("torch.utils.hooks.RemovableHandle")
_MANY = 4


def register(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``module.register_forward_hook(function)``."""
    hook = site.value(0, "hook")
    if hook is not None:
        obj = interp.obj(ref)
        known = _hooks(obj)
        if hook not in known and len(known) < _MANY:
            interp.update(ref, obj.with_fact(_FACT, TupleValue((*known, hook))))
    return interp.new(Obj("external", _HANDLE))


def register_before(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``module.register_forward_pre_hook(function)``."""
    hook = site.value(0, "hook")
    if hook is not None and "with_kwargs" not in site.keywords:
        obj = interp.obj(ref)
        known = _hooks(obj, _BEFORE)
        if hook not in known and len(known) < _MANY:
            interp.update(ref, obj.with_fact(_BEFORE, TupleValue((*known, hook))))
    return interp.new(Obj("external", _HANDLE))


def before_forward(interp: Interpreter, ref: Ref, site: CallSite) -> CallSite:
    """The call as the module's hooks hand it on: with other positional arguments, perhaps."""
    for hook in _hooks(interp.obj(ref), _BEFORE):
        inputs = TupleValue(tuple(arg.value for arg in site.args))
        returned = calls.call(interp, hook, CallSite(site.node, (Arg(ref), Arg(inputs))))
        if returned == NONE:
            continue
        values = returned.items if isinstance(returned, TupleValue) else (returned,)
        nodes = [arg.node for arg in site.args] if len(values) == len(site.args) else [None] * len(values)
        args = tuple(Arg(value, node) for value, node in zip(values, nodes, strict=True))
        site = replace(site, args=args)
    return site


def of_gradient(interp: Interpreter, tensor: Tensor, site: CallSite) -> Value:
    """``tensor.register_hook(function)``: it will be called with a gradient, which is where the tensor is."""
    hook = site.value(0, "hook")
    if hook is not None and tensor.device.is_accelerator:
        gradient = Tensor(tensor.device, tensor.dtype, tensor.rank, grad=False, leaf=True)
        calls.call(interp, hook, CallSite(site.node, (Arg(gradient),)))
    return interp.new(Obj("external", _HANDLE))


def after_forward(interp: Interpreter, ref: Ref, site: CallSite, result: Value) -> Value:
    """What a call of the module returns once its hooks have seen (and maybe replaced) the result."""
    inputs = TupleValue(tuple(arg.value for arg in site.args))
    for hook in _hooks(interp.obj(ref)):
        args = (Arg(ref), Arg(inputs), Arg(result))
        returned = calls.call(interp, hook, CallSite(site.node, args))
        if isinstance(returned, Unknown):
            result = UNKNOWN
        elif returned != NONE:
            result = returned
    return result


def _hooks(obj: Obj, kind: str = _FACT) -> tuple[Value, ...]:
    found = obj.facts.get(kind)
    return found.items if isinstance(found, TupleValue) else ()
