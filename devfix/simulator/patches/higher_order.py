"""Operators of operators (``flex_attention``): they ask a dispatch mode for a rule of its own, which is to compose them."""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch._C import DispatchKey

from ..dispatch import DeviceChecks
from ..machine import Machine
from ..patching import Patcher


def install(patcher: Patcher, machine: Machine) -> None:
    """Compose them of operators that are judged and differentiated one by one, as torch computes them on the CPU."""
    operator = getattr(torch.ops.higher_order, "flex_attention", None)
    kernel = getattr(operator, "py_kernels", {}).get(DispatchKey.CompositeExplicitAutograd)
    if operator is None or kernel is None:
        return
    operator.python_key_table[DeviceChecks] = _composed(kernel)
    tracing = operator.py_kernels.get(DispatchKey.Autograd)
    if tracing is None:
        return
    # This kernel for gradients traces functions, with tensors that have no data.
    _put(operator, kernel)
    patcher.finally_call(lambda: _put(operator, tracing))


def _put(operator: Any, kernel: Callable[..., Any]) -> None:
    operator.py_kernels[DispatchKey.Autograd] = kernel
    operator._dispatch_cache.clear()


def _composed(kernel: Callable[..., Any]) -> Callable[..., Any]:
    def handle(mode: DeviceChecks, *args: Any, **kwargs: Any) -> Any:
        with mode:
            return kernel(*args, **kwargs)

    return handle
