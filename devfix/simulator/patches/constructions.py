"""Constructions: where each module was made."""

from __future__ import annotations

import functools
import sys
from types import FrameType
from typing import Any, Optional

import torch

from ..machine import Machine
from ..owners import constructions
from ..patching import Patcher
from ..places import Spot, is_user_file, spot_of


def install(patcher: Patcher, machine: Machine) -> None:
    """Remember the line that made a module, where origins are kept at all."""
    if machine.origins:
        patcher.wrap(torch.nn.Module, "__init__", _remembering)


def _remembering(original: Any) -> Any:
    @functools.wraps(original)
    def initialise(self: torch.nn.Module, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        constructions[self] = _caller(self)

    return initialise


def _caller(module: torch.nn.Module) -> Optional[Spot]:
    """The innermost line of the program that is not part of the module's own constructors."""
    frame: Optional[FrameType] = sys._getframe(2)
    while frame is not None and (_is_method_of(frame, module) or not is_user_file(frame.f_code.co_filename)):
        frame = frame.f_back
    return None if frame is None else spot_of(frame)


def _is_method_of(frame: FrameType, module: torch.nn.Module) -> bool:
    code = frame.f_code
    return code.co_argcount > 0 and frame.f_locals.get(code.co_varnames[0]) is module
