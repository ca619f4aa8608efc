"""Scripted models that are read from a file: ``torch.jit.load(path, map_location=device)``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import AT_LEAST_1, UNKNOWN_DEVICE
from devfix.analysis.domain.values import External, Obj, Tensor, Value
from devfix.analysis.torch_model.devices import device_strings

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite

CLASS = "torch.jit.ScriptModule"


def load(interp: Interpreter, name: str, site: CallSite) -> Value:
    """A model where it is asked for; without ``map_location`` it is where it was when it was saved, which nobody knows."""
    asked = None if site.open else device_strings.asked(interp, site, 1, "map_location")
    trail = (interp.site("module", site.node),)
    place = Tensor(
        asked or UNKNOWN_DEVICE, None, AT_LEAST_1, parameter=True, grad=True, leaf=True, trail=trail
    )
    return interp.new(Obj("module", External(CLASS), place=place, trail=trail))
