"""Operators of torchvision: their CUDA kernels ask each of their tensors whether it is there."""

from __future__ import annotations

import torch

from .claims import CPU
from .operands import Call, refuse

#: The others compute with matrices of torch's, or read what they are given without a look.
ASKING = frozenset(
    f"torchvision::{name}" for name in "nms roi_align roi_pool ps_roi_align ps_roi_pool".split()
)


def all_there(call: Call) -> torch.device:
    """The accelerator on which all tensors are; raises RefusedError in the words that an H200 had, with torchvision 0.26."""
    for name, tensor in call.checked_arguments():
        if call.device_of(tensor) == CPU:
            raise refuse(f"{name} must be a CUDA tensor")
    return call.accelerator
