"""Surroundings: what the names of a frame stand for, as far as it matters for putting a mistake right.

Whoever repairs a program wants to name a device at some line. Which names hold a device, a tensor or a module
there, and where those are, is known for certain only while the program runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import FrameType
from typing import Any, Optional

import torch

from .claims import device_of
from .expressions import dict_of, is_a, parameters_of

#: How many names of a frame, and attributes of what they hold, are looked at.
_MOST_NAMES, _MOST_ATTRIBUTES = 200, 64
#: The true class, whatever stands in its place while a machine is simulated.
_DEVICE = torch.device
_NAMES_A_DEVICE = re.compile(r"(cpu|cuda|xpu|mps)(:\d+)?$")


def surroundings(frame: FrameType) -> dict[str, str]:
    """What each name of a frame (and each attribute of an object it holds) stands for.

    Values are ``device:cuda:0``, ``tensor:cpu float32 3x4``, ``tensors:cpu`` (a list or tuple of tensors), ``module:cuda:0``,
    ``module`` (without parameters, or with some on several devices), ``loader``, ``optimizer`` and ``object`` (which
    has such attributes).
    """
    found: dict[str, str] = {}
    for name, value in _names(frame):
        described = describe(value)
        if described is not None:
            found[name] = described
        if not is_a(value, (torch.Tensor, type)) and described != "loader":
            for attribute, part in _attributes(value):
                held = describe(part)
                if held is not None:
                    found.setdefault(name, "object")
                    found[f"{name}.{attribute}"] = held
    return found


def describe(value: Any) -> Optional[str]:
    """What a value is good for when a device is looked for; None where it is no use."""
    if is_a(value, torch.Tensor):
        sizes = "x".join(map(str, value.shape))
        return f"tensor:{device_of(value)} {str(value.dtype).replace('torch.', '')} {sizes}"
    if is_a(value, _DEVICE):
        return f"device:{value}"
    if is_a(value, str):
        return f"device:{value}" if _NAMES_A_DEVICE.match(value) else None
    if is_a(value, torch.nn.Module):
        return _module(value)
    if is_a(value, torch.utils.data.DataLoader):
        return "loader"
    if is_a(value, torch.optim.Optimizer):
        return "optimizer"
    return _tensors(value) if is_a(value, (list, tuple)) else None


def _tensors(values: Sequence[Any]) -> Optional[str]:
    """The same for a list or tuple of tensors alone."""
    if not 0 < len(values) <= _MOST_ATTRIBUTES or not all(is_a(part, torch.Tensor) for part in values):
        return None
    devices = {str(device_of(part)) for part in values}
    return f"tensors:{devices.pop()}" if len(devices) == 1 else "tensors"


def _module(module: torch.nn.Module) -> str:
    devices = {str(device_of(part)) for part in parameters_of(module)}
    return f"module:{devices.pop()}" if len(devices) == 1 else "module"


def _names(frame: FrameType) -> Iterator[tuple[str, Any]]:
    held: Mapping[str, Any] = frame.f_locals
    for name, value in list(held.items())[:_MOST_NAMES]:
        if name.isidentifier() and not name.startswith("__"):
            yield name, value
    for name in frame.f_code.co_names:
        if name not in held and name in frame.f_globals:
            yield name, frame.f_globals[name]


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """The attributes that an object keeps itself; nothing is called to find them."""
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return
    if is_a(value, type(torch)) or not is_a(held, dict):
        return
    for name, part in list(held.items())[:_MOST_ATTRIBUTES]:
        if is_a(name, str) and name.isidentifier() and not name.startswith("_"):
            yield name, part
    if is_a(value, torch.nn.Module):
        held = dict_of(value)
        for parts in (held.get("_buffers", {}), held.get("_modules", {})):
            yield from ((name, part) for name, part in parts.items() if name.isidentifier())
