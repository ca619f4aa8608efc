"""NumPy interchange: arrays are made of host memory alone, and so are Python lists, after a copy.

NumPy, and what is built on it, asks a tensor for ``__array__``, which is Python that calls ``numpy``; so every
``np.array(t)``, ``np.mean([t])`` and ``plt.plot(t)`` comes by here.
"""

from __future__ import annotations

import functools
from typing import Any

import torch

from ..claims import claim_of, device_of
from ..events import Operand
from ..machine import Machine
from ..patching import Patcher
from ..refusals import Refusal

Tensor = torch.Tensor


def install(patcher: Patcher, machine: Machine) -> None:
    """Let tensors on the machine's accelerators refuse NumPy as torch does."""
    patcher.wrap(Tensor, "numpy", lambda original: _numpy(machine, original))
    patcher.wrap(Tensor, "tolist", lambda original: _tolist(machine, original))


def _numpy(machine: Machine, original: Any) -> Any:
    @functools.wraps(original)
    def numpy(self: Tensor, *, force: bool = False) -> Any:
        if self.dtype is torch.bfloat16 and (force or not machine.is_accelerator(device_of(self))):
            _refuse_dtype(machine, self, "Tensor.numpy")
            return original(self.float(), force=force)
        if not machine.is_accelerator(device_of(self)) or self.layout is not torch.strided:
            return original(self, force=force)
        if force:
            machine.log.transfer("device-to-host", self.nbytes, "Tensor.numpy")
        else:
            _refuse(machine, self, "Tensor.numpy")
        # On the host it is a copy; what the CPU refuses, because of a gradient say, it refuses now.
        return original(self.clone(), force=force)

    return numpy


def _tolist(machine: Machine, original: Any) -> Any:
    @functools.wraps(original)
    def tolist(self: Tensor) -> Any:
        if machine.is_accelerator(device_of(self)):
            if machine.forked:
                machine.work()
            machine.log.transfer("device-to-host", self.nbytes, "Tensor.tolist")
        return original(self)

    return tolist


def _refuse(machine: Machine, tensor: Tensor, operation: str) -> None:
    """Raise what ``tensor_to_numpy`` says (torch/csrc/utils/tensor_numpy.cpp), before it looks at gradients."""
    device = device_of(tensor)
    text = (
        f"can't convert {device} device type tensor to numpy. "
        "Use Tensor.cpu() to copy the tensor to host memory first."
    )
    refusal = Refusal(text, "numpy", TypeError, (tensor,))
    machine.refuse(refusal, operation, [Operand("self", tensor, claim_of(tensor), device)])


def _refuse_dtype(machine: Machine, tensor: Tensor, operation: str) -> None:
    """Raise what NumPy's lack of a dtype makes torch say on every device (torch/csrc/utils/tensor_numpy.cpp)."""
    refusal = Refusal(
        "Got unsupported ScalarType BFloat16", "array-dtype", TypeError, (tensor,), wanted="float32"
    )
    machine.refuse(refusal, operation, [Operand("self", tensor, claim_of(tensor), device_of(tensor))])
