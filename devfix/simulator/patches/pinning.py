"""Pinning: page-locked host memory, which the simulated machine's accelerator copies from.

True memory is never pinned; a claim says that it is.
"""

from __future__ import annotations

import functools
from typing import Any

import torch

from ..claims import CPU, Claim, Made, claim_of, device_of, lay
from ..dispatch import roots_of
from ..events import Operand
from ..machine import Machine
from ..patching import Patcher
from ..places import user_spot
from ..refusals import Refusal

Tensor = torch.Tensor
#: Types that never had a legacy name are called so in messages (c10/core/DeprecatedTypeProperties).
_NEWER = {
    torch.bool: "Bool",
    torch.bfloat16: "BFloat16",
    torch.complex64: "ComplexFloat",
    torch.complex128: "ComplexDouble",
    torch.complex32: "ComplexHalf",
}


def install(patcher: Patcher, machine: Machine) -> None:
    """Let host tensors be pinned for the machine's accelerator."""
    if machine.count > 0:
        patcher.set(Tensor, "pin_memory", _pin_memory(machine))
        patcher.set(Tensor, "is_pinned", _is_pinned(machine))
        patcher.wrap(torch.UntypedStorage, "share_memory_", _sharing)


def _is_pinned(machine: Machine) -> Any:
    def is_pinned(self: Tensor, device: Any = None) -> bool:
        """Whether a tensor lies in page-locked memory, as the simulated machine sees it."""
        if device_of(self) != CPU:
            return False
        if machine.initialised or machine.forked:
            machine.work()
        claim = claim_of(self)
        return claim is not None and claim.pinned

    return is_pinned


def _pin_memory(machine: Machine) -> Any:
    def pin_memory(self: Tensor, device: Any = None) -> Tensor:
        """A copy in page-locked memory; the tensor itself where it is pinned already."""
        if device_of(self) != CPU:
            text = f"cannot pin '{_type_name(self)}' only dense CPU tensors can be pinned"
            operand = Operand("self", self, claim_of(self), device_of(self))
            machine.refuse(Refusal(text, "pin", blamed=(self,)), "Tensor.pin_memory", [operand])
            return self
        if self.is_pinned():
            return self
        machine.work()
        out = _pinned_copy(self)
        made = Made("result", "Tensor.pin_memory", user_spot()) if machine.origins else None
        return lay(out, Claim(CPU, made, roots_of([self], CPU), pinned=out.numel() > 0))

    return pin_memory


def _sharing(original: Any) -> Any:
    @functools.wraps(original)
    def share_memory_(self: Any, *args: Any, **kwargs: Any) -> Any:
        claim = getattr(self, "_claim", None)
        if claim is not None and claim.pinned:
            # Shared memory is other memory.
            self._claim = Claim(claim.device, claim.made, claim.roots)
        return original(self, *args, **kwargs)

    return share_memory_


def _pinned_copy(tensor: Tensor) -> Tensor:
    if tensor.layout is not torch.strided:
        # Its parts are pinned, and a sparse tensor is where its values are.
        return tensor.clone()
    if any(step == 0 and size > 1 for size, step in zip(tensor.shape, tensor.stride())):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation."
        )
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=CPU).copy_(tensor)


def _type_name(tensor: Tensor) -> str:
    """What messages call the type of a tensor on the accelerator: ``torch.cuda.FloatTensor``."""
    kind = device_of(tensor).type
    newer = _NEWER.get(tensor.dtype)
    sparse = tensor.layout is torch.sparse_coo
    if newer is not None:
        return f"{'Sparse' if sparse else ''}{kind.upper()}{newer}Type"
    legacy = {torch.float16: "Half", torch.uint8: "Byte", torch.int8: "Char", torch.int16: "Short"}
    legacy.update({torch.int32: "Int", torch.int64: "Long", torch.float32: "Float", torch.float64: "Double"})
    return f"torch.{kind}.{'sparse.' if sparse else ''}{legacy.get(tensor.dtype, 'Undefined')}Tensor"
