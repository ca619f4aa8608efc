"""Constructions: where modules and optimizers were made, filled and moved."""

from __future__ import annotations

import functools
import sys
from types import FrameType
from typing import Any, Optional

import torch

from .. import places
from ..claims import device_of
from ..expressions import parameters_of
from ..histories import is_method_of, remember_move, remember_turn
from ..machine import Machine
from ..owners import constructions
from ..patching import Patcher
from ..places import Spot, is_user_file, spot_of


def install(patcher: Patcher, machine: Machine) -> None:
    """Remember the lines at which they got to be what they are, where origins are kept at all."""
    if machine.origins:
        patcher.set(places, "watchers", [machine.log.glimpses.take])
        patcher.wrap(torch.nn.Module, "__init__", _constructing)
        patcher.wrap(torch.nn.Module, "_apply", _moving)
        patcher.wrap(torch.optim.Optimizer, "__init__", lambda original: _turning(original, "built"))
        patcher.wrap(torch.optim.Optimizer, "load_state_dict", lambda original: _turning(original, "filled"))


def _constructing(original: Any) -> Any:
    @functools.wraps(original)
    def initialise(self: torch.nn.Module, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        constructions[self] = _caller(self)

    return initialise


def _caller(module: torch.nn.Module) -> Optional[Spot]:
    """The innermost line of the program that is not part of the module's own constructors."""
    frame: Optional[FrameType] = sys._getframe(2)
    while frame is not None and (is_method_of(frame, module) or not is_user_file(frame.f_code.co_filename)):
        frame = frame.f_back
    return None if frame is None else spot_of(frame)


def _moving(original: Any) -> Any:
    depth = 0

    @functools.wraps(original)
    def apply(self: torch.nn.Module, *args: Any, **kwargs: Any) -> torch.nn.Module:
        nonlocal depth
        before = [] if depth else [(part, device_of(part)) for part in parameters_of(self)]
        depth += 1
        try:
            found: torch.nn.Module = original(self, *args, **kwargs)
        finally:
            depth -= 1
        moved = [part for part, device in before if device_of(part) != device]
        if moved:
            remember_move(moved)
        return found

    return apply


def _turning(original: Any, what: str) -> Any:
    @functools.wraps(original)
    def turn(self: torch.optim.Optimizer, *args: Any, **kwargs: Any) -> Any:
        found = original(self, *args, **kwargs)
        remember_turn(self, what)
        return found

    return turn
