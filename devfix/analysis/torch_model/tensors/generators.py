"""``torch.Generator``: a generator and the call that draws from it must share a device."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import CPU, UNKNOWN_DEVICE, Device
from devfix.analysis.domain.values import NONE, DeviceValue, External, Obj, Tensor, Value
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.devices import device_strings
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.arguments import default_device
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

NAME = "torch.Generator"
#: Where tensors were made by default when a generator was.
_DEFAULT = "default"


def make(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.Generator(device="cpu")``: on the CPU unless told, also under a default device."""
    device = device_strings.asked(interp, site, 0, "device") or Device("cpu")
    facts: dict[str, Value] = {"device": DeviceValue(device), _DEFAULT: DeviceValue(default_device(interp))}
    trail = (interp.site("factory", site.node),)
    return interp.new(Obj("external", External(NAME), facts=facts, trail=trail))


def seeded(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.manual_seed(seed)`` gives the default generator, which is the CPU's; mostly nobody takes it."""
    statement = interp.frame.statement
    if isinstance(statement, ast.Expr) and statement.value is site.node:
        return NONE
    return make(interp, name, CallSite(site.node))


def check(interp: Interpreter, site: CallSite, placed: Device, **detail: str) -> bool:
    """Whether what draws here may do so. Facts: "generator cpu on cuda factory", "randperm generator mismatch"."""
    arg, obj = _given(interp, site)
    device = obj.facts.get("device") if obj is not None else None
    if arg is None or obj is None or not isinstance(device, DeviceValue):
        return True
    if {device.device.kind, placed.kind} != {"cpu", "accelerator"}:
        return True
    generator = Tensor(device.device, trail=obj.trail)
    requirements.record(
        interp, site.node, "torch.Generator", "generator",
        [Part(generator, "generator", arg.node), Part(Tensor(placed), "result", None)], **detail,
    )  # fmt: skip
    return False


def drawn(interp: Interpreter, site: CallSite, placed: Device, *, told: bool) -> Device:
    """Where a call makes a tensor at random; it is ``told`` the device, or takes the default one.

    Where a generator is of the CPU because there was no other default device yet, it may be one of either that is to change.
    """
    _, obj = _given(interp, site)
    default = obj.facts.get(_DEFAULT) if obj is not None else None
    early = placed.is_accelerator and not told and isinstance(default, DeviceValue) and default.device == CPU
    fits = check(interp, site, placed, early="yes") if early else check(interp, site, placed)
    return placed if fits or not early else UNKNOWN_DEVICE


def _given(interp: Interpreter, site: CallSite) -> tuple[Arg | None, Obj | None]:
    arg = site.keywords.get("generator")
    return arg, interp.obj_of(arg.value) if arg is not None else None


def check_default(interp: Interpreter, node: ast.AST, placed: Device) -> None:
    """Facts: "set_default_device('cuda'): DataLoader shuffle": the default generator is the CPU's."""
    if placed.is_accelerator:
        parts = [Part(Tensor(Device("cpu")), "generator", None), Part(Tensor(placed), "result", None)]
        requirements.record(interp, node, NAME, "generator", parts)


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    NAME: make,
    "torch.manual_seed": seeded,
    "torch.random.manual_seed": seeded,
}
