"""Where a tensor says it is: ``device``, ``is_cuda`` and the like."""

from __future__ import annotations

import torch

from ..claims import CPU, device_of
from ..machine import Machine
from ..patching import Patcher


def install(patcher: Patcher, machine: Machine) -> None:
    """Let tensors answer with the device they claim."""
    patcher.set(torch.Tensor, "device", property(device_of))
    for kind in ("cpu", "cuda", "mps", "xpu"):
        patcher.set(torch.Tensor, f"is_{kind}", _is(kind))
    patcher.set(torch.Tensor, "get_device", _get_device)
    patcher.wrap(torch, "get_device", lambda _original: _device_number)


def _is(kind: str) -> property:
    return property(lambda self: device_of(self).type == kind)


def _get_device(self: torch.Tensor) -> int:
    device = device_of(self)
    return -1 if device is CPU or device.index is None else device.index


def _device_number(input: torch.Tensor) -> int:
    """``torch.get_device``: not the method itself, since torch.overrides tells the two apart by what they are."""
    return _get_device(input)
