"""Followed devices: code that asks a value for its device, to put something there, may be used with an accelerator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.deciding import asked_places
from devfix.analysis.domain.lattice import Device

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def note(interp: Interpreter, device: Device | None) -> None:
    """Write down that something is put where a value is, if no script decides where that is, and no model that is on the CPU."""
    if device is None or not device.label.endswith(".device"):
        return
    if asked_places.are_judged(interp, device):
        interp.recorder.follow(device.label)
