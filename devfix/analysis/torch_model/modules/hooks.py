"""Forward hooks: functions that a module calls with what goes in and what comes out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Const,
    External,
    Obj,
    Ref,
    Sequence,
    Tensor,
    TupleValue,
    Unknown,
    Value,
)
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn.modules import module_device

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_FACT = "forward hooks"
_BEFORE = "forward pre-hooks"
_BACKWARD = "backward hooks"
#: Appended for hooks that are given the keywords of the call, too.
_KEYWORDS = " with keywords"
HANDLE: External = External("torch.utils.hooks.RemovableHandle")
_MANY = 4


def register(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``module.register_forward_hook(function)``."""
    return _register(interp, ref, site, _FACT)


def register_before(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``module.register_forward_pre_hook(function)``."""
    return _register(interp, ref, site, _BEFORE)


def register_backward(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``module.register_full_backward_hook(function)``.

    Nobody sees a part of a model being called whose code is not here: its gradients are where it is now.
    """
    hook, device = site.value(0, "hook"), module_device(interp, ref)
    if hook is not None and device is not None and isinstance(interp.obj(ref).cls, Unknown):
        _show_gradients(interp, ref, hook, site, Tensor(device))
    return _register(interp, ref, site, _BACKWARD)


def _register(interp: Interpreter, ref: Ref, site: CallSite, kind: str) -> Value:
    hook = site.value(0, "hook")
    kind += _KEYWORDS if "with_kwargs" in site.keywords else ""
    if hook is not None:
        obj = interp.obj(ref)
        known = _hooks(obj, kind)
        if hook not in known and len(known) < _MANY:
            interp.update(ref, obj.with_fact(kind, TupleValue((*known, hook))))
            return interp.new(
                Obj("external", HANDLE, facts={"module": ref, "kind": Const(kind), "hook": hook})
            )
    return interp.new(Obj("external", HANDLE))


def of_handle(interp: Interpreter, ref: Ref, handle: Obj, name: str, site: CallSite) -> Value:
    """``handle.remove()``."""
    if name == "remove":
        remove(interp, handle)
        return NONE
    return UNKNOWN


def are_on(obj: Obj) -> bool:
    """Whether a module was given hooks that see, and may change, what goes in or comes out."""
    kinds = (kind + more for kind in (_FACT, _BEFORE) for more in ("", _KEYWORDS))
    return not obj.facts.keys().isdisjoint(kinds)


def remove(interp: Interpreter, handle: Obj) -> None:
    """Take away the hook that was registered when the handle was made."""
    module, kind = handle.facts.get("module"), handle.facts.get("kind")
    obj = interp.obj_of(module)
    if not isinstance(module, Ref) or obj is None or not isinstance(kind, Const):
        return
    left = tuple(hook for hook in _hooks(obj, str(kind.value)) if hook != handle.facts["hook"])
    interp.update(module, obj.with_fact(str(kind.value), TupleValue(left)))


def before_forward(interp: Interpreter, ref: Ref, site: CallSite) -> CallSite:
    """The call as the module's hooks hand it on: with other arguments, perhaps."""
    if interp.obj(ref).facts.keys().isdisjoint((_BEFORE, _BEFORE + _KEYWORDS)):
        return site
    for hook in _hooks(interp.obj(ref), _BEFORE):
        returned = interp.call(hook, CallSite(site.node, (Arg(ref), Arg(_given(site)))))
        if returned != NONE:
            values = returned.items if isinstance(returned, TupleValue) else (returned,)
            site = replace(site, args=_args(site, values))
    for hook in _hooks(interp.obj(ref), _BEFORE + _KEYWORDS):
        given = (Arg(ref), Arg(_given(site)), Arg(_keywords(interp, site)))
        site = _handed_on(interp, site, interp.call(hook, CallSite(site.node, given)))
    return site


def _given(site: CallSite) -> TupleValue:
    return TupleValue(tuple(arg.value for arg in site.args))


def _keywords(interp: Interpreter, site: CallSite) -> Ref:
    return interp.new(Obj("dict", attrs={name: arg.value for name, arg in site.keywords.items()}))


def _args(site: CallSite, values: tuple[Value, ...]) -> tuple[Arg, ...]:
    """Positional arguments; those that are as many as were written stand for what was written."""
    nodes = [arg.node for arg in site.args] if len(values) == len(site.args) else [None] * len(values)
    return tuple(Arg(value, node) for value, node in zip(values, nodes, strict=True))


def _handed_on(interp: Interpreter, site: CallSite, returned: Value) -> CallSite:
    """The call with the arguments and keywords that a hook returned; with unknown ones where it is unclear."""
    if returned == NONE:
        return site
    values: tuple[Value, ...] = (UNKNOWN,) * len(site.args)
    attrs: Mapping[str, Value] = {}
    if isinstance(returned, TupleValue) and len(returned.items) == 2:
        positional, keywords = returned.items
        values = positional.items if isinstance(positional, TupleValue) else values
        obj = interp.obj_of(keywords)
        attrs = obj.attrs if obj is not None and obj.kind == "dict" else {}
    named = {name: Arg(attrs.get(name, UNKNOWN), arg.node) for name, arg in site.keywords.items()}
    return replace(site, args=_args(site, values), keywords=named)


def of_gradient(interp: Interpreter, tensor: Tensor, site: CallSite) -> Value:
    """``tensor.register_hook(function)``: it will be called with a gradient, which is where the tensor is."""
    hook = site.value(0, "hook")
    if hook is not None and tensor.device.is_accelerator:
        gradient = Tensor(tensor.device, tensor.dtype, tensor.rank, grad=False, leaf=True)
        interp.call(hook, CallSite(site.node, (Arg(gradient),)))
    return interp.new(Obj("external", HANDLE))


def after_forward(interp: Interpreter, ref: Ref, site: CallSite, result: Value) -> Value:
    """What a call of the module returns once its hooks have seen (and maybe replaced) the result."""
    if interp.obj(ref).facts.keys().isdisjoint((_FACT, _FACT + _KEYWORDS, _BACKWARD)):
        return result
    inputs = Arg(_given(site))
    for hook in _hooks(interp.obj(ref)):
        result = _replaced(interp.call(hook, CallSite(site.node, (Arg(ref), inputs, Arg(result)))), result)
    for hook in _hooks(interp.obj(ref), _FACT + _KEYWORDS):
        args = (Arg(ref), inputs, Arg(_keywords(interp, site)), Arg(result))
        result = _replaced(interp.call(hook, CallSite(site.node, args)), result)
    for hook in _hooks(interp.obj(ref), _BACKWARD):
        _show_gradients(interp, ref, hook, site, result)
    return result


def _show_gradients(interp: Interpreter, ref: Ref, hook: Value, site: CallSite, result: Value) -> None:
    """What a hook will do with gradients, which are where the result of the module is."""
    if isinstance(result, Tensor) and result.grad is not False and result.device.is_accelerator:
        of_inputs = Sequence(Tensor(result.device, grad=False, leaf=True))
        of_result = replace(result, grad=False, leaf=True, trail=(), roots=(), typed=())
        args = (Arg(ref), Arg(of_inputs), Arg(TupleValue((of_result,))))
        interp.call(hook, CallSite(site.node, args))


def _replaced(returned: Value, result: Value) -> Value:
    if returned == NONE:
        return result
    return UNKNOWN if isinstance(returned, Unknown) else returned


def _hooks(obj: Obj, kind: str = _FACT) -> tuple[Value, ...]:
    found = obj.facts.get(kind)
    return found.items if isinstance(found, TupleValue) else ()
