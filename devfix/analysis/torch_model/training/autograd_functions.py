"""``torch.autograd.Function``: ``apply`` runs ``forward`` now and ``backward`` when gradients come back."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Class,
    External,
    Function,
    Obj,
    Ref,
    Tensor,
    TupleValue,
    Value,
)
from devfix.analysis.language import unknown_code
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn.modules import external_bases
from devfix.analysis.torch_model.devices import grad_mode
from devfix.analysis.torch_model.training import own_gradients

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

CONTEXT = "torch.autograd.function.FunctionCtx"
_BASES = frozenset(
    f"torch.autograd.{name}" for name in ("Function", "function.Function", "function.InplaceFunction")
)
_SAVED = "saved_tensors"


def is_function(interp: Interpreter, cls: Class) -> bool:
    """Whether a class of the project is an autograd function."""
    return any(name in _BASES for name in external_bases(interp, cls))


def apply(interp: Interpreter, cls: Class, site: CallSite) -> Value:
    """``MyFunction.apply(...)``."""
    forward = classes.find(interp, cls, "forward")
    if not isinstance(forward, Function):
        return unknown_code.call(interp, site)
    context = interp.new(Obj("external", External(CONTEXT)))
    recorded = interp.grad
    with grad_mode.unrecorded(interp):
        result = _forward(interp, cls, forward, context, site)
    given = [arg.value for arg in site.all_args() if isinstance(arg.value, Tensor)]
    grad = None if any(tensor.grad for tensor in given) else False
    if not recorded or not any(tensor.grad is not False for tensor in given):
        return result
    backward = classes.find(interp, cls, "backward")
    if isinstance(backward, Function):
        incoming = tuple(Arg(_gradient(value)) for value in _outputs(result))
        precision = interp.autocast
        interp.autocast = precision if _is_told(forward) or _is_told(backward) else None
        gradients = interp.call_function(backward, [context], site.node, CallSite(site.node, incoming))
        interp.autocast = precision
        if interp.program.adopts or not own_gradients.is_for_host(forward):
            own_gradients.check(interp, backward, incoming[0].value, _outputs(gradients), site)
    return _tracked(result, True if grad is None else None)


#: What has ``backward`` run as ``forward`` did: gradients come back when ``autocast`` has ended.
_TOLD = frozenset({"custom_fwd", "custom_bwd"})


def _is_told(function: Function) -> bool:
    """Whether a decorator sees to the precision that a function runs in."""
    for decorator in getattr(function.node, "decorator_list", ()):
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if getattr(called, "attr", getattr(called, "id", "")) in _TOLD:
            return True
    return False


def _forward(interp: Interpreter, cls: Class, forward: Function, context: Ref, site: CallSite) -> Value:
    setup = classes.find(interp, cls, "setup_context")
    if not isinstance(setup, Function):
        return interp.call_function(forward, [context], site.node, site)
    result = interp.call_function(forward, [], site.node, site)
    inputs = TupleValue(tuple(arg.value for arg in site.args))
    interp.call_function(setup, [context, inputs, result], site.node)
    return result


def _outputs(result: Value) -> tuple[Value, ...]:
    return result.items if isinstance(result, TupleValue) else (result,)


def _gradient(value: Value) -> Value:
    """The gradient of an output: like the output itself, with a life of its own."""
    if not isinstance(value, Tensor):
        return UNKNOWN
    return Tensor(device=value.device, dtype=value.dtype, rank=value.rank, grad=False)


def _tracked(result: Value, grad: bool | None) -> Value:
    if isinstance(result, Tensor):
        return replace(result, grad=grad, leaf=False if grad else None)
    if isinstance(result, TupleValue):
        return result.with_items(_tracked(item, grad) for item in result.items)
    return result


def context_method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``ctx.save_for_backward(...)`` keeps what ``ctx.saved_tensors`` gives back."""
    if name == "save_for_backward":
        saved = TupleValue(tuple(arg.value for arg in site.args))
        interp.update(ref, obj.with_attr(_SAVED, saved))
    return NONE
