"""Endless: the simulation of a process that a simulated program has started."""

from __future__ import annotations

import ctypes
from typing import Any

from .children import Children
from .machine import active
from .simulation import simulated_accelerator


def begin(told: dict[str, Any]) -> None:
    """Simulate the machine that ``startup.wanted`` names, until the process ends."""
    if active() is None:
        children = Children(told.pop("folder"))
        entered: Any = simulated_accelerator(told.pop("kind"), told.pop("count"), children=children, **told)
        # Kept open by a reference that outlives whatever Python takes away at its end.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(entered))
        entered.__enter__()
