"""Assignments of numbers by a mask of another device, which C++ takes to where the tensor is.

Where both are on one device newer versions fill by the mask at once. Their C++ sees true CPU tensors, so it would do
that always; here the mask's claim decides.
"""

from __future__ import annotations

from typing import Any

import torch

from ..claims import device_of
from ..machine import Machine
from ..patching import Patcher

Tensor = torch.Tensor
_NUMBERS = (int, float, bool)


def install(patcher: Patcher, machine: Machine) -> None:
    """Let a number be assigned by a mask of another device as by any index that is elsewhere."""
    patcher.wrap(Tensor, "__setitem__", _assigning)


def _assigning(original: Any) -> Any:
    def assign(self: Tensor, index: Any, value: Any) -> None:
        if type(value) in _NUMBERS and _has_mask_elsewhere(self, index):
            value = torch.tensor(value, dtype=self.dtype)
        original(self, index, value)

    return assign


def _has_mask_elsewhere(tensor: Tensor, index: Any) -> bool:
    """Whether a mask is among the indices of a tensor that is elsewhere."""
    parts = index if type(index) is tuple else (index,)
    masks = (part for part in parts if isinstance(part, Tensor) and part.dtype == torch.bool)
    return any(device_of(mask) != device_of(tensor) for mask in masks)
