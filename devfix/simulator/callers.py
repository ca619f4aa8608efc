"""Callers: the modules and optimizers whose methods are running, and whether a tensor is theirs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any, Optional

import torch

from .claims import storage_of
from .places import is_user_file

#: How many frames outwards a tensor's module is looked for.
_MOST_FRAMES = 40


def is_module_state(tensor: torch.Tensor) -> bool:
    """Whether a tensor is a parameter or buffer of a module, or a view of one."""
    base = tensor._base
    if isinstance(tensor, torch.nn.Parameter) or isinstance(base, torch.nn.Parameter):
        return True
    wanted = storage_of(tensor)
    return wanted is not None and any(storage_of(part) is wanted for part in _parts())


def is_optimizer_state(tensor: torch.Tensor) -> bool:
    """Whether a tensor is the state of an optimizer that is running, or was computed from it.

    Optimizers that the program writes itself are its own code. What else such a step takes are parameters and
    their gradients.
    """
    wanted = storage_of(tensor)
    for frame in _frames():
        if is_user_file(frame.f_code.co_filename):
            return False
        optimizer = _own(frame)
        if isinstance(optimizer, torch.optim.Optimizer):
            trained = [part for group in optimizer.param_groups for part in group["params"]]
            given = [*trained, *(part.grad for part in trained if part.grad is not None)]
            return not any(storage_of(part) is wanted for part in given)
    return False


def calls_come_from(module: str) -> bool:
    """Whether a function of a module was called on the way here from the program's own code."""
    for frame in _frames():
        if is_user_file(frame.f_code.co_filename):
            return False
        if frame.f_globals.get("__name__") == module:
            return True
    return False


def _parts() -> Iterator[torch.Tensor]:
    """The parameters and buffers of the modules whose methods are running."""
    seen: set[int] = set()
    for frame in _frames():
        module = _own(frame)
        if isinstance(module, torch.nn.Module) and id(module) not in seen:
            seen.add(id(module))
            for held in (vars(module).get("_parameters"), vars(module).get("_buffers")):
                yield from _tensors(held)


def _tensors(held: Any) -> list[torch.Tensor]:
    values = held.values() if isinstance(held, dict) else ()
    return [value for value in values if isinstance(value, torch.Tensor)]


def _frames() -> Iterator[FrameType]:
    frame: Optional[FrameType] = sys._getframe(1)
    for _ in range(_MOST_FRAMES):
        if frame is None:
            return
        yield frame
        frame = frame.f_back


def _own(frame: FrameType) -> Any:
    """What a method is called on."""
    code = frame.f_code
    return frame.f_locals.get("self") if code.co_argcount and code.co_varnames[0] == "self" else None
