"""``torch.save`` and ``torch.load``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.frames import CallSite
from devfix.analysis.lattice import UNKNOWN_DEVICE
from devfix.analysis.torch_model import requirements
from devfix.analysis.torch_model.arguments import device_of
from devfix.analysis.values import NONE, DeviceValue, External, Obj, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def load(interp: Interpreter, name: str, site: CallSite) -> Value:
    """A checkpoint. What is in it is not known; where it is, only ``map_location`` tells."""
    location = site.value(1, "map_location")
    if (location is None or location == NONE) and not site.open:
        requirements.record(interp, site.node, "torch.load", "map-location", [])
    device = device_of(location) or UNKNOWN_DEVICE
    trail = (interp.site("checkpoint", site.node),)
    obj = Obj("external", External("torch.load"), trail=trail)
    return interp.new(obj.with_fact("device", DeviceValue(device)))


def save(interp: Interpreter, name: str, site: CallSite) -> Value:
    """Writes a file."""
    return NONE


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "torch.load": load,
    "torch.save": save,
}
