"""Operators on lists of tensors: next to several devices CUDA goes through the lists one by one."""

from __future__ import annotations

from typing import Any, Callable, Optional

import torch

from .operands import Call, tensors_in

#: native/ForeachUtils.h and ForeachOpsKernels.cpp: what the slow path calls instead of the name's own operator.
_SLOW = {"maximum": "clamp_min", "minimum": "clamp_max"}
#: Overloads of the operator for single tensors that take two of them.
_TENSORS = ("Tensor", "Tensor_Tensor", "default")

Judge = Callable[[Call], Any]


def is_foreach(func: Any) -> bool:
    """Whether an operator takes lists and handles each place of them on its own."""
    return str(func._schema.name).startswith("aten::_foreach_")


def one_by_one(call: Call, judge: Judge) -> list[Optional[torch.device]]:
    """The device of each result; ``judge`` tells it for the operator on single tensors."""
    single = _single(call)
    found = []
    for place, own in enumerate(tensors_in(call.args[0])):
        device = call.device_of(own)
        parts = [_part(argument, place) for argument in call.args]
        tensors = [part for part in parts if isinstance(part, torch.Tensor)]
        if single is not None and len(tensors) > 1 and "copy" not in call.name:
            named = _arguments(single, parts)
            device = judge(Call(single, named, {}, tensors, call.device_of))
        found.append(device)
    return found


def _part(argument: Any, place: int) -> Any:
    return argument[place] if isinstance(argument, (list, tuple)) and place < len(argument) else argument


def _arguments(single: Any, parts: list[Any]) -> list[Any]:
    """What the operator on single tensors takes by position."""
    positional = [argument for argument in single._schema.arguments if not argument.kwarg_only]
    return parts[: len(positional)]


def _single(call: Call) -> Any:
    name = call.name[len("_foreach_") :]
    trailing = "_" if name.endswith("_") else ""
    base = name.rstrip("_")
    packet = getattr(torch.ops.aten, _SLOW.get(base, base) + trailing, None)
    if packet is None:
        return None
    return next((getattr(packet, name) for name in _TENSORS if name in packet.overloads()), None)
