"""Storage mappings: functions that say where each part of a file goes, given as ``map_location``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import CPU, UNKNOWN_DEVICE, Device
from devfix.analysis.domain.values import BoundMethod, Function, Scalar, Tensor, Value
from devfix.analysis.language.frames import Arg, CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What the function is given: data that were read to the CPU, and where they were when they were written.
_GIVEN = (Arg(Tensor(CPU)), Arg(Scalar("str")))


def device(interp: Interpreter, told: Value | None, site: CallSite) -> Device | None:
    """Where ``lambda storage, location: storage`` leaves what is loaded; None for what is no such function."""
    if not isinstance(told, (Function, BoundMethod)):
        return None
    with interp.recorder.mute():
        result = interp.call(told, CallSite(site.node, _GIVEN))
    return result.device if isinstance(result, Tensor) else UNKNOWN_DEVICE
