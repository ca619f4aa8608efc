"""Python functions of single elements, ``t.apply_(f)``: torch calls them for tensors in host memory alone."""

from __future__ import annotations

import functools
from typing import Any

import torch

from ..claims import device_of
from ..machine import Machine
from ..patching import Patcher


def install(patcher: Patcher, machine: Machine) -> None:
    """Let tensors on the machine's accelerators refuse them as torch does (torch/csrc/utils/tensor_apply.cpp)."""
    for name in ("apply_", "map_", "map2_"):
        patcher.wrap(torch.Tensor, name, lambda original: _on_host(machine, original))


def _on_host(machine: Machine, original: Any) -> Any:
    @functools.wraps(original)
    def on_host(self: torch.Tensor, *operands: Any) -> Any:
        if machine.is_accelerator(device_of(self)):
            raise TypeError(f"{original.__name__} is only implemented on CPU tensors")
        return original(self, *operands)

    return on_host
