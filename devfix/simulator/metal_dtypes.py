"""Dtypes that MPS lacks: nothing there is float64, whether it is made, moved, cast or computed.

The words are those of aten/src/ATen/mps/EmptyTensor.cpp and aten/src/ATen/native/mps/OperationUtils.mm.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import torch

from .claims import claim_of, device_of
from .events import Operand
from .machine import Machine
from .refusals import Refusal

_INSTEAD = {torch.float64: torch.float32, torch.complex128: torch.complex64}
_TEXTS = {
    torch.float64: "Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64. "
    "Please use float32 instead.",
    torch.complex128: "Trying to convert ComplexDouble to the MPS backend but it does not have support for that dtype.",
}


def held(
    machine: Machine,
    device: Optional[torch.device],
    dtype: Optional[torch.dtype],
    operation: str,
    sources: Sequence[torch.Tensor] = (),
) -> Optional[torch.dtype]:
    """The dtype that a tensor on a device may have; one that MPS lacks is refused, or healed to half its width."""
    if device is None or device.type != "mps" or dtype not in _INSTEAD:
        return dtype
    operands = [Operand("self", each, claim_of(each), device_of(each)) for each in sources[:1]]
    machine.refuse(
        Refusal(_TEXTS[dtype], "float64-on-mps", TypeError, tuple(sources[:1])), operation, operands
    )
    return _INSTEAD[dtype]


def holding(machine: Machine, device: Any, out: Any, operation: str, sources: Sequence[torch.Tensor]) -> Any:
    """What an operation gave, as MPS can hold it."""
    if isinstance(out, torch.Tensor):
        dtype = held(machine, device, out.dtype, operation, sources)
        return out if dtype is out.dtype else torch._C.TensorBase.to(out, dtype)
    if type(out) in (tuple, list):
        return type(out)(holding(machine, device, part, operation, sources) for part in out)
    return out
