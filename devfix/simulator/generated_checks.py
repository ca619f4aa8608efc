"""The check that torch's build writes in front of a CUDA kernel: all tensors with a position on one device.

torchgen/dest/register_dispatch_key.py (``gen_device_check``) writes it; c10/core/impl has its message, which
names the argument and the method that the build made around the kernel.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Optional

import torch

from .claims import CPU
from .iterator_rules import SAME_DEVICE
from .kernel_table import PLAIN, SPARSE, STRUCTURED
from .operands import Call, refuse


def overload_of(func: Any) -> str:
    """Name and overload of an operator as native_functions.yaml writes them."""
    name = str(func._schema.name).rpartition("::")[2]
    overload = func._schema.overload_name
    return f"{name}.{overload}" if overload else name


def method_of(call: Call) -> Optional[str]:
    """The checked method around the CUDA kernel of a call; None where nothing is checked."""
    func = call.func
    if func.namespace != "aten":
        return None
    full = overload_of(func)
    sparse = sparse_key(call)
    if sparse and full in SPARSE:
        return f"wrapper_{sparse}CUDA_{plain_name(full, func)}"
    if full in STRUCTURED:
        return "wrapper_CUDA_" + structured_name(full, func)
    return "wrapper_CUDA_" + plain_name(full, func) if full in PLAIN else None


def structured_name(full: str, func: Any) -> str:
    """``addmm.out`` is ``addmm_out_out`` (torchgen/api/native.py)."""
    name, _, overload = full.partition(".")
    return name + ("_out" if _writes_out(func) else "") + (f"_{overload}" if overload else "")


def plain_name(full: str, func: Any) -> str:
    """``complex.out`` is ``out_complex_out`` (torchgen/api/cpp.py behind a prefix of overload and underscore)."""
    name, _, overload = full.partition(".")
    return f"{overload}_{name}" + ("_out" if _writes_out(func) else "")


def _writes_out(func: Any) -> bool:
    return any(argument.is_out for argument in func._schema.arguments)


def checked(call: Call, method: str) -> torch.device:
    """The device that all tensors of a call share, or the refusal of the check."""
    return same_device(((name, call.device_of(tensor)) for name, tensor in call.checked_arguments()), method)


def same_device(named: Iterable[tuple[str, Optional[torch.device]]], method: str) -> torch.device:
    """The device that the named operands share; two devices are refused in the words of the check in that method."""
    common: Optional[torch.device] = None
    for name, device in named:
        if device is None or device == common:
            continue
        if common is not None:
            text = f"got {name} is on {device}, different from other tensors on {common}"
            kind = device.type if device.type != "cpu" else common.type
            method = method.replace("CUDA", kind.upper(), 1)
            raise refuse(f"{SAME_DEVICE}{text} (when checking argument in method {method})")
        common = device
    return common or CPU


def sparse_key(call: Call) -> str:
    """What precedes ``CUDA`` in the name of the backend that a call with sparse tensors goes to."""
    layouts = {tensor.layout for tensor in call.tensors}
    if layouts & {torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc}:
        return "SparseCsr"
    return "Sparse" if torch.sparse_coo in layouts else ""
