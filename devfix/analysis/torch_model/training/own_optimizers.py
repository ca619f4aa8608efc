"""Optimizers of the project: their parameters move with the model, what they allocated early does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import CPU, Device
from devfix.analysis.domain.values import NONE, TRUE, Const, DeviceValue, Obj, Ref, Tensor, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.record import trails
from devfix.analysis.torch_model.training import optim, param_groups

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Under which fact an optimizer keeps which statements ran when it first stepped with its parameters on the CPU.
_ON_HOST = "stepped on the host"


def before_step(interp: Interpreter, value: Value, site: CallSite) -> None:
    """The ``step`` of an optimizer of the project is about to run: its parameters may have moved.

    State that its constructor allocated is where they were then. Where they were on the accelerator by that
    time, state that is not was put elsewhere, and meets what it meets.
    """
    if not isinstance(value, Ref) or not optim.is_optimizer(interp, value):
        return
    obj = interp.obj(value)
    device = optim.parameter_device(interp, obj)
    if device == CPU and _ON_HOST not in obj.facts:
        interp.update(value, obj.with_fact(_ON_HOST, Const(trails.chain(interp))))
    if device is None or not device.is_accelerator:
        return
    early = "late" not in obj.facts
    if early and "stepped" not in obj.facts and not _is_loaded(obj):
        _check_allocated(interp, obj, device, site)
    param_groups.place(interp, obj.attrs.get("param_groups"), device)
    if early:
        _place(interp, obj.attrs.get("state"), device)
    interp.update(value, interp.obj(value).with_fact("stepped", TRUE))


def _check_allocated(interp: Interpreter, obj: Obj, device: Device, site: CallSite) -> None:
    state = _allocated(interp, obj)
    if state is None or state.device != CPU or not obj.trail:
        return
    early = replace(obj, trail=(obj.trail[0], obj.trail[0]))
    early = early.with_fact("filled", obj.facts.get("built", NONE))
    if _ON_HOST in obj.facts:  # a step may have allocated it
        early = replace(obj, trail=obj.trail[:1]).with_fact("filled", obj.facts[_ON_HOST])
    optim.record_step(interp, early, state.device, device, site)


def _is_loaded(obj: Obj) -> bool:
    """Whether ``load_state_dict`` took the state to parameters on the accelerator."""
    loaded = obj.facts.get("state device")
    return isinstance(loaded, DeviceValue) and loaded.device.is_accelerator


def _allocated(interp: Interpreter, obj: Obj) -> Tensor | None:
    """A tensor that an optimizer keeps for each of its parameters."""
    state = interp.obj_of(obj.attrs.get("state"))
    entry = interp.obj_of(state.element) if state is not None else None
    kept = entry.attrs.values() if entry is not None else ()
    return next((value for value in kept if isinstance(value, Tensor) and value.rank != 0), None)


def _place(interp: Interpreter, value: Value | None, device: Device) -> None:
    """Put every tensor in nested lists and dicts on one device, in place."""
    obj = interp.obj_of(value)
    if obj is None or not isinstance(value, Ref):
        return
    for part in (*obj.attrs.values(), *(obj.items or ()), obj.element):
        _place(interp, part, device)

    def placed(part: Value) -> Value:
        return replace(part, device=device) if isinstance(part, Tensor) else part

    attrs = {name: placed(part) for name, part in obj.attrs.items()}
    items = tuple(placed(part) for part in obj.items) if obj.items is not None else None
    last = placed(obj.element) if obj.element is not None else None
    interp.update(value, replace(obj, attrs=attrs, items=items, element=last))
