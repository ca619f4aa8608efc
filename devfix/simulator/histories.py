"""Histories: what an optimizer went through, since its state stays where its parameters were at that time."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Sequence
from types import FrameType
from typing import Any, Optional

import torch
from torch.utils.weak import WeakIdKeyDictionary

from .places import Spot, is_user_file, place, spot_of, user_stack

#: The stacks, outermost line first, at which an optimizer was ``built`` and at which it was last ``filled``.
_turns: weakref.WeakKeyDictionary[torch.optim.Optimizer, dict[str, list[Spot]]] = weakref.WeakKeyDictionary()
#: The stack at which a parameter was last moved along with its module.
_moves: Any = WeakIdKeyDictionary()


def remember_turn(optimizer: torch.optim.Optimizer, what: str) -> None:
    """Note that an optimizer was ``built`` or ``filled`` just now."""
    _turns.setdefault(optimizer, {})[what] = _stack_without(optimizer)


def remember_move(parameters: Sequence[torch.Tensor]) -> None:
    """Note that parameters were moved just now."""
    stack = [spot_of(frame) for frame in user_stack(2)]
    for parameter in parameters:
        _moves[parameter] = stack


def _stack_without(owner: Any) -> list[Spot]:
    """The lines of the program that are not part of the object's own methods."""
    return [spot_of(frame) for frame in user_stack(3) if not is_method_of(frame, owner)]


def is_method_of(frame: FrameType, owner: Any) -> bool:
    """Whether a frame runs a method of an object."""
    code = frame.f_code
    return code.co_argcount > 0 and frame.f_locals.get(code.co_varnames[0]) is owner


def history() -> Optional[dict[str, Any]]:
    """What the optimizer that is at work went through, and when its parameters were moved; None without one."""
    optimizer = _running()
    if optimizer is None:
        return None
    found = {name: [place(spot) for spot in stack] for name, stack in _turns.get(optimizer, {}).items()}
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    moved = next((_moves[parameter] for parameter in parameters if parameter in _moves), None)
    return {**found, "moved": [place(spot) for spot in moved]} if moved is not None else found


def _running() -> Optional[torch.optim.Optimizer]:
    """The optimizer whose method is at work, one of torch's or the program's own."""
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        own = frame.f_locals.get("self") if code.co_argcount and code.co_varnames[0] == "self" else None
        if isinstance(own, torch.optim.Optimizer):
            return own
        if is_user_file(code.co_filename):
            return None
        frame = frame.f_back
    return None
