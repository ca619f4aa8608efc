"""Endless: the simulation of a process that a simulated program has started."""

from __future__ import annotations

from typing import Any

from .children import Children
from .machine import active
from .simulation import simulated_accelerator


def begin(told: dict[str, Any]) -> None:
    """Simulate the machine that ``startup.wanted`` names, until the process ends."""
    if active() is None:
        children = Children(told.pop("folder"))
        _endless.append(simulated_accelerator(told.pop("kind"), told.pop("count"), children=children, **told))
        _endless[-1].__enter__()


#: What is never left: the process ends in it.
_endless: list[Any] = []
