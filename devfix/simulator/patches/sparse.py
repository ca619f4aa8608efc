"""Sparse and nested tensors: their factories check the device in C++ before an operator is called."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch.utils import _device

from ..machine import Machine
from ..patching import Patcher
from .tensor_moves import move

_FACTORIES = """
    sparse_coo_tensor sparse_csr_tensor sparse_csc_tensor sparse_bsr_tensor sparse_bsc_tensor sparse_compressed_tensor
""".split()


def install(patcher: Patcher, machine: Machine) -> None:
    """Let factories of sparse and nested tensors put them on the machine's devices."""
    # Holds torch's own functions; were it filled now for the first time, it would hold those below.
    _device._device_constructors()
    for name in _FACTORIES:
        patcher.wrap(torch, name, lambda original: _placing(machine, original))
    patcher.wrap(torch.nested, "nested_tensor", lambda original: _placing(machine, original))


def _placing(machine: Machine, original: Any) -> Any:
    @functools.wraps(original)
    def factory(*args: Any, device: Any = None, **kwargs: Any) -> Any:
        if device is None or kwargs.get("layout") is torch.jagged:
            return original(*args, device=device, **kwargs)
        target = machine.device(device)
        # Parts that lie elsewhere are copied, so the whole may be made where they are.
        return move(original(*args, **kwargs), target, f"torch.{original.__name__}")

    return factory
