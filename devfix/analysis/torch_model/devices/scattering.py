"""Calls of a module by what wraps it: ``DataParallel`` scatters the inputs, and so does ``DistributedDataParallel`` with ``device_ids``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import CPU, UNKNOWN_DEVICE
from devfix.analysis.domain.values import (
    UNKNOWN,
    Const,
    External,
    Obj,
    Ref,
    Tensor,
    TupleValue,
    Unknown,
    Value,
)
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.loading import collation

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: The fact of a wrapper that hands its inputs on as they are.
_AS_GIVEN = "as-given"


def facts(name: str, inner: Ref, site: CallSite) -> dict[str, Value]:
    """What is kept of a wrapper: what it wraps, and whether it is certain to leave its inputs where they are.

    ``DistributedDataParallel`` does without ``device_ids``; ``DataParallel`` takes all devices then.
    """
    kept: dict[str, Value] = {"wrapped": inner}
    told = site.value(1, "device_ids") or Const(None)
    if name.endswith("DistributedDataParallel") and told == Const(None) and not site.open:
        kept[_AS_GIVEN] = Const(True)
    return kept


def call(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """Inputs are scattered to the module's devices, and what lists and dicts hold of them.

    A ``DataParallel`` that may have moved its module is where nobody knows, and so is what it gives.
    """
    obj = interp.obj(ref)
    inner = obj.facts.get("wrapped")
    if inner is None:
        return UNKNOWN
    if _AS_GIVEN in obj.facts:
        return interp.call(inner, site)
    if not may_have_moved(interp, obj):
        return _scattered(interp, inner, site)
    with interp.recorder.mute():
        given = interp.call(inner, site)
    return collation.each_tensor(interp, given, lambda each: replace(each, device=UNKNOWN_DEVICE))


def data_parallel(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``nn.parallel.data_parallel(module, inputs)``: what ``DataParallel(module)(*inputs)`` gives."""
    inner, given = site.value(0, "module"), site.get(1, "inputs")
    if inner is None or given is None:
        return UNKNOWN
    several = given.value.items if isinstance(given.value, TupleValue) else None
    args = (given,) if several is None else tuple(Arg(item, given.node) for item in several)
    return _scattered(interp, inner, CallSite(site.node, args))


def _scattered(interp: Interpreter, inner: Value, site: CallSite) -> Value:
    device = modules.module_device(interp, inner)
    if device == CPU or interp.program.adopts:  # some runs may not wrap it
        return interp.call(inner, site)

    def scattered(tensor: Tensor) -> Tensor:
        if device is not None and device.is_accelerator:
            return replace(tensor, device=device)
        return replace(tensor, device=UNKNOWN_DEVICE) if tensor.device == CPU else tensor

    def moved(arg: Arg) -> Arg:
        if isinstance(arg.value, Unknown):
            return Arg(UNKNOWN, arg.node)  # what is told of it elsewhere tells where it was before
        holder = interp.obj_of(arg.value)
        if holder is not None and holder.kind not in ("dict", "list"):
            return arg  # an object of a class is handed on as it is
        return Arg(collation.each_tensor(interp, arg.value, scattered), arg.node)

    args = tuple(moved(arg) for arg in site.args)
    keywords = {name: moved(arg) for name, arg in site.keywords.items()}
    return interp.call(inner, replace(site, args=args, keywords=keywords))


def may_have_moved(interp: Interpreter, obj: Obj) -> bool:
    """Whether an object is a ``DataParallel`` that moves what it wraps from the CPU: it does so where there is one accelerator.

    Where a program is adopted nobody knew of one.
    """
    wrapped = obj.facts.get("wrapped")
    if wrapped is None or not isinstance(obj.cls, External) or interp.program.adopts:
        return False
    return obj.cls.name.rpartition(".")[2] == "DataParallel" and modules.module_device(interp, wrapped) == CPU
