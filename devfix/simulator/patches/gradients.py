"""Gradients: the engine takes each one to the device of its tensor, which true CPU tensors hide from it."""

from __future__ import annotations

import functools
from typing import Any, Optional

import torch

from ..claims import Claim, claim_of, device_of, lay
from ..machine import Machine
from ..patching import Patcher

Tensor = torch.Tensor
_gradient: Any = torch._C.TensorBase.grad


def install(patcher: Patcher, machine: Machine) -> None:
    """Keep gradients where their tensors are."""
    patcher.set(Tensor, "grad", property(_get, _set, _delete))
    patcher.wrap(torch.autograd, "grad", _grad)


def _get(self: Tensor) -> Optional[Tensor]:
    gradient = _gradient.__get__(self)
    return None if gradient is None else _with_claim_of(gradient, self)


def _set(self: Tensor, value: Optional[Tensor]) -> None:
    if isinstance(value, Tensor) and device_of(value) != device_of(self):
        # torch/csrc/autograd/python_variable.cpp
        raise RuntimeError(
            f"attempting to assign a gradient with device type '{device_of(value).type}' to a tensor with device type "
            f"'{device_of(self).type}'. Please ensure that the gradient and the tensor are on the same device"
        )
    _gradient.__set__(self, value)


def _delete(self: Tensor) -> None:
    _gradient.__delete__(self)


def _with_claim_of(gradient: Tensor, tensor: Tensor) -> Tensor:
    """Let a gradient be where its tensor is, unless the tensor was moved away from it."""
    claim = claim_of(gradient)
    if claim is not None and claim.device is None:
        claim.device = device_of(tensor)
    elif gradient.dim() == 0 and device_of(gradient) != device_of(tensor):
        # The engine takes scalars to the other device (torch/csrc/autograd/engine.cpp, validate_outputs).
        lay(gradient, Claim(device_of(tensor)))
    return gradient


def _grad(original: Any) -> Any:
    @functools.wraps(original)
    def grad(outputs: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        found = original(outputs, inputs, *args, **kwargs)
        wanted = (inputs,) if isinstance(inputs, Tensor) else inputs
        if isinstance(wanted, (list, tuple)):
            for gradient, tensor in zip(found, wanted):
                if isinstance(gradient, Tensor) and isinstance(tensor, Tensor):
                    _with_claim_of(gradient, tensor)
        return found

    return grad
