"""``Module._apply``: how a move reaches every tensor of a module, the project's overrides included."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import FLOATS, UNKNOWN_DEVICE
from devfix.analysis.domain.values import Class, Const, Function, Ref, Retargeting, Tensor, TupleValue, Value
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.record.trails import dtype_trails
from devfix.analysis.torch_model.modules import lent_parameters, registering, shared_parameters

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def apply(interp: Interpreter, ref: Ref, function: Value, node: ast.expr) -> None:
    """``module._apply(function)``: the module's own version when the project has one."""
    lent = lent_parameters.of(interp, ref)
    shared = shared_parameters.of(interp, ref)
    override = _override(interp, ref)
    if override is None:
        inherited(interp, ref, function, node)
    else:
        interp.call_function(override, [ref], node, CallSite(node, (Arg(function),)))
    if isinstance(function, Retargeting) and function.dtype is not None:
        _forget_types(interp, ref)
    _follow(interp, ref)
    shared_parameters.follow(interp, shared)
    device = function.device if isinstance(function, Retargeting) else None
    lent_parameters.follow(interp, lent, device, lambda tensor: _changed(interp, function, tensor, node))


def _forget_types(interp: Interpreter, ref: Ref) -> None:
    """The states of metrics: ``half()`` and the like leave them as they are, and ``to(dtype)`` does not."""
    for part in modules.tree(interp, ref):
        obj = interp.obj(part)
        kept = obj.facts.get(registering.KEEPING)
        if isinstance(kept, TupleValue):
            attrs = {
                name: replace(value, dtype=None, typed=())
                if isinstance(value, Tensor) and Const(name) in kept.items
                else value
                for name, value in obj.attrs.items()
            }
            interp.update(part, replace(obj, attrs=attrs))


def _follow(interp: Interpreter, ref: Ref) -> None:
    """Lists of the module's parameters, such as an optimizer's, hold the same objects: they have moved."""
    if not interp.parameter_lists:
        return
    moved = {part.address for part in modules.tree(interp, ref)}
    for held in interp.parameter_lists:
        obj = interp.obj_of(held)
        element = obj.element if obj is not None else None
        if obj is None or not isinstance(element, Tensor) or element.owner not in moved:
            continue
        now = modules.first_parameter(interp, Ref(element.owner))
        if now is not None:
            element = replace(
                element, device=now.device, dtype=now.dtype, trail=now.trail, roots=now.roots, split=now.split
            )
            interp.update(held, replace(obj, element=element))


def inherited(interp: Interpreter, ref: Ref, function: Value, node: ast.expr) -> None:
    """Torch's version: the children first, then every registered tensor, in place."""
    below = [part for part in modules.tree(interp, ref) if part != ref]
    if not any(_override(interp, part) for part in below):
        modules.transform(interp, ref, lambda tensor: _changed(interp, function, tensor, node))
        return
    for child in modules.children(interp, ref):
        apply(interp, child, function, node)
    modules.transform_one(interp, ref, lambda tensor: _changed(interp, function, tensor, node))


def retargeted(function: Retargeting, tensor: Tensor) -> Tensor:
    """What the function of ``Module.to`` makes of one tensor: only floating ones are cast."""
    device = function.device if function.device is not None else tensor.device
    dtype = tensor.dtype
    if function.dtype is not None and (dtype in FLOATS or dtype is None):
        dtype = None if function.dtype == "?" else function.dtype
    typed = dtype_trails(tensor) if dtype == tensor.dtype else ()
    split = tensor.split if function.device is None else None  # what a path left on the CPU goes there, too
    return replace(
        tensor, device=device, dtype=dtype, trail=(function.site,), roots=(), typed=typed, split=split
    )


def _changed(interp: Interpreter, function: Value, tensor: Tensor, node: ast.expr) -> Tensor:
    result = interp.call(function, CallSite(node, (Arg(tensor),)))
    if isinstance(result, Tensor):
        if result.device.is_accelerator and isinstance(function, Retargeting):
            interp.state.used = interp.state.used or function.site
        return replace(
            tensor, device=result.device, dtype=result.dtype, trail=result.trail, roots=result.roots,
            typed=result.typed, split=result.split,
        )  # fmt: skip
    return replace(tensor, device=UNKNOWN_DEVICE, dtype=None)


def _override(interp: Interpreter, ref: Ref) -> Function | None:
    cls = interp.obj(ref).cls
    found = classes.find(interp, cls, "_apply") if isinstance(cls, Class) else None
    return found if isinstance(found, Function) else None
