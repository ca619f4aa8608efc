"""Operand rules: which tensors of an operation may be on another device than the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional, Union

import torch

from .refusals import Refusal

#: Tells the device that a tensor claims; None for what fits every device.
DeviceOf = Callable[[torch.Tensor], Optional[torch.device]]

_FREE = {"aten::copy_", "aten::set_", "aten::_to_copy", "aten::is_same_size"}


def judge(
    func: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    tensors: Sequence[torch.Tensor],
    device_of: DeviceOf,
) -> Union[torch.device, Refusal, None]:
    """The device of the results of an operation whose operands claim several, or why it is refused.

    None: each result is where its own storage says, as for an operation that writes in place.
    """
    name = func._schema.name
    if name in _FREE:
        return device_of(tensors[0])
    big = {device_of(t) for t in tensors if t.dim() or device_of(t) != torch.device("cpu")} - {None}
    if len(big) == 1 and torch.Tag.pointwise in func.tags:
        return big.pop()
    hosts = tuple(t for t in tensors if device_of(t) == torch.device("cpu"))
    found = sorted({str(device_of(t)) for t in tensors if device_of(t) is not None}, reverse=True)
    message = f"Expected all tensors to be on the same device, but found at least two devices, {found[0]} and {found[1]}!"
    return Refusal(message, blamed=hosts)


def alone(
    func: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    tensors: Sequence[torch.Tensor],
    device: torch.device,
) -> Union[torch.device, Refusal, None]:
    """The same for operands that all claim one accelerator: few operations refuse that."""
    return device
