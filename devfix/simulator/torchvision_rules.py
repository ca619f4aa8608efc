"""Operators of torchvision: their CUDA kernels ask each of their tensors whether it is there."""

from __future__ import annotations

import torch

from .claims import CPU
from .operands import Call, refuse

NAMESPACE = "torchvision::"


def all_there(call: Call) -> torch.device:
    """The words of torchvision/csrc/ops/cuda (``roi_align_kernel.cu`` and its kin), heard on an H200."""
    for name, tensor in call.checked_arguments():
        if call.device_of(tensor) == CPU:
            raise refuse(f"{name} must be a CUDA tensor")
    return call.accelerator
