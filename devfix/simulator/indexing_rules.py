"""Indexing, masks and choices by condition: operators with words of their own for operands that are elsewhere.

The texts are those of aten/src/ATen/native (IndexingUtils.h, TensorAdvancedIndexing.cpp, cuda/Indexing.cu and
cuda/MaskedFill.cu, TensorCompare.cpp), as an H200 said them.
"""

from __future__ import annotations

from typing import Optional

import torch

from .claims import CPU
from .generated_checks import same_device
from .iterator_rules import apart, iterate
from .number_range import refuse_number
from .operands import Call, Operand, refuse
from .places import assigns_item


def index(call: Call) -> Optional[torch.device]:
    """``index.Tensor``: refuses indices that are neither on the host nor where the indexed tensor is."""
    own = call.need("self")
    for part in call.get("indices"):
        if part is not None:
            where = call.device_of(part)
            if where not in (None, own.device, CPU) or (where == CPU and own.device is None):
                raise refuse(
                    "indices should be either on cpu or on the same device as the indexed tensor "
                    f"({own.device or CPU})"
                )
    return own.device


def index_put(call: Call) -> Optional[torch.device]:
    """``index_put``: indices are taken along, values must be there unless they are a number."""
    own, values = call.need("self"), call.need("values")
    _put(own, values, accumulate=bool(call.get("accumulate")))
    return own.device


def _put(own: Operand, values: Operand, *, accumulate: bool) -> None:
    if not values.shape or own.device is None or values.device in (None, own.device):
        # Python's item assignment takes a number along from wherever it is.
        return
    if accumulate and own.device != CPU:
        raise refuse(f"expected device {own.device} but got device {values.device} for value tensor")
    raise apart(own.device, values.device)


def unsafe_masked_index(call: Call) -> Optional[torch.device]:
    """Indexing that fills what a mask leaves out."""
    device = index(call)
    own, mask = call.need("self"), call.need("mask")
    _mask(own, mask)
    return device


def unsafe_masked_index_put(call: Call) -> Optional[torch.device]:
    """Its backward: values are filled where the mask leaves them out, then put."""
    own, mask, values = call.need("self"), call.need("mask"), call.need("values")
    _mask(values, mask)
    _put(own, values, accumulate=True)
    return own.device


def masked_fill(call: Call) -> Optional[torch.device]:
    """``masked_fill``: refuses a mask that is elsewhere, even a number; the value may be one of the host.

    torch 2.15 takes it for ``x[mask] = 0.0`` as it takes ``index_fill``; a mask from elsewhere is taken along.
    """
    own, mask, value = call.need("self"), call.need("mask"), call.operand("value")
    if value is None and own.device != mask.device and assigns_item():
        return own.device
    if value is not None and own.device == CPU and value.device not in (None, CPU):
        raise refuse("masked_fill_: Expected inputs to be on same device")
    if value is not None and own.device == CPU and mask.device not in (None, CPU):
        raise refuse("masked_fill_: Expected inputs to be on same device")
    _mask(own, mask)
    return own.device or mask.device


def _mask(own: Operand, mask: Operand) -> None:
    if own.device is not None and mask.device is not None and own.device != mask.device:
        raise refuse(
            f"expected self and mask to be on the same device, but got mask on {mask.device} and self on {own.device}"
        )


def masked_scatter(call: Call) -> Optional[torch.device]:
    """``masked_scatter`` copies the tensor and writes into the copy."""
    named = [(name, call.operand(name)) for name in ("self", "mask", "source")]
    method = "wrapper_CUDA__masked_scatter_"
    return same_device(((name, operand.device) for name, operand in named if operand is not None), method)


def put(call: Call) -> Optional[torch.device]:
    """``put`` copies the tensor and writes into the copy."""
    named = [(name, call.operand(name)) for name in ("self", "index", "source")]
    return same_device(
        ((name, operand.device) for name, operand in named if operand is not None), "wrapper_CUDA__put_"
    )


def index_fill(call: Call) -> Optional[torch.device]:
    """``index_fill``: the value is taken as a number; an index that is not where the tensor is gets refused.

    torch 2.15 takes it for ``x[index] = 0.0`` where both are in one place, which on the CPU they always are; from
    elsewhere the index is taken along (aten/src/ATen/TensorIndexing.h, ``try_dispatch_index_fill_``).
    """
    own, places = call.need("self"), call.need("index")
    if own.device is not None and places.device not in (None, own.device) and not assigns_item():
        raise apart(own.device, places.device)
    return own.device


def where(call: Call) -> Optional[torch.device]:
    """``where``: any of its tensors may be a number of the host; other tensors on two devices are refused."""
    operands = [
        operand for operand in map(call.operand, ("condition", "self", "other")) if operand is not None
    ]
    moved = [Operand(None, ()) if operand.host_scalar else operand for operand in operands]
    result = iterate(moved)
    out = call.operand("out")
    if out is not None and out.device not in (None, result.device):
        raise apart(result.device or CPU, out.device)
    return result.device


def of_self(call: Call) -> Optional[torch.device]:
    """Operators that take the other tensors from wherever they are, such as ``copy_``."""
    return call.device_of(call.tensors[0])


def fill(call: Call) -> Optional[torch.device]:
    """``fill_`` with a tensor of the host takes its number (native/Fill.cpp)."""
    own, value = call.get("self"), call.get("value")
    if isinstance(value, torch.Tensor) and call.device_of(value) == CPU != call.device_of(own):
        refuse_number(value.item(), own.dtype, (own,))
    return of_self(call)


def set_source(call: Call) -> Optional[torch.device]:
    """``set_``: refuses to give a tensor the storage of another device."""
    own, source = call.operand("self"), call.operand("source")
    if own is not None and source is not None and own.device != source.device and None not in (own, source):
        raise refuse(
            f'Attempted to set the storage of a tensor on device "{own.device}" to a storage on different device '
            f'"{source.device}".  This is no longer allowed; the devices must match.'
        )
    return own.device if own is not None else None
