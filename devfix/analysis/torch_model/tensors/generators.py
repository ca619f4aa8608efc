"""``torch.Generator``: a generator and the call that draws from it must share a device."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import Device
from devfix.analysis.domain.values import DeviceValue, External, Obj, Tensor, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.devices import device_strings
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

NAME = "torch.Generator"


def make(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.Generator(device="cpu")``: on the CPU unless told, also under a default device."""
    device = device_strings.asked(interp, site, 0, "device") or Device("cpu")
    facts: dict[str, Value] = {"device": DeviceValue(device)}
    trail = (interp.site("factory", site.node),)
    return interp.new(Obj("external", External(NAME), facts=facts, trail=trail))


def check(interp: Interpreter, site: CallSite, placed: Device) -> None:
    """Facts: "generator cpu on cuda factory", "randperm generator mismatch"."""
    arg = site.keywords.get("generator")
    obj = interp.obj_of(arg.value) if arg is not None else None
    if arg is None or obj is None or "device" not in obj.facts:
        return
    device = obj.facts["device"]
    if not isinstance(device, DeviceValue):
        return
    kinds = {device.device.kind, placed.kind}
    if kinds != {"cpu", "accelerator"}:
        return
    generator = Tensor(device.device, trail=obj.trail)
    requirements.record(
        interp, site.node, "torch.Generator", "generator",
        [Part(generator, "generator", arg.node), Part(Tensor(placed), "result", None)],
    )  # fmt: skip


def check_default(interp: Interpreter, node: ast.AST, placed: Device) -> None:
    """Facts: "set_default_device('cuda'): DataLoader shuffle": the default generator is the CPU's."""
    if placed.is_accelerator:
        parts = [Part(Tensor(Device("cpu")), "generator", None), Part(Tensor(placed), "result", None)]
        requirements.record(interp, node, NAME, "generator", parts)
