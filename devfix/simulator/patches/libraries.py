"""Libraries: what torch says of cuDNN, cuFFT and the driver's monitor, which a simulated device has no need of."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch.nn.attention import SDPBackend

from ..machine import Machine
from ..patching import Patcher
from ..refusals import not_simulated

_CUDNN_VERSION = 90501
#: Readings of an idle device.
_READINGS = {
    "utilization": 0,
    "memory_usage": 0,
    "device_memory_used": 0,
    "temperature": 40,
    "power_draw": 70000,
    "clock_rate": 1410,
}


def install(patcher: Patcher, machine: Machine) -> None:
    """Answer for the libraries of the machine's accelerator."""
    if machine.kind not in ("cuda", "xpu"):
        return
    package = getattr(torch, machine.kind)
    for name, value in _READINGS.items():
        if hasattr(package, name):
            patcher.set(package, name, _reading(value))
    for name in (
        ("MemPool", "XPUGraph", "graph", "graph_pool_handle") if machine.kind == "xpu" else ("MemPool",)
    ):
        # `torch.xpu.memory` came with torch 2.6.
        for module in (package, getattr(package, "memory", package)):
            if hasattr(module, name):
                patcher.set(module, name, _refusing(machine.kind, name))
    if machine.kind == "xpu":
        patcher.wrap(package, "is_current_stream_capturing", lambda _original: lambda: False)
        return
    patcher.set(torch.backends.cudnn, "version", lambda: _CUDNN_VERSION)
    # Weights that are truly on the CPU are nothing that cuDNN could make one block of.
    patcher.set(torch.backends.cudnn, "is_acceptable", lambda _tensor: False)
    choosing = "_sdpa_kernel" if hasattr(torch.nn.attention, "_sdpa_kernel") else "sdpa_kernel"
    patcher.wrap(torch.nn.attention, choosing, _with_own_kernel)
    plans = torch.backends.cuda.cuFFTPlanCache
    for name, value in (("size", 0), ("max_size", 4096), ("clear", _reading(None))):
        patcher.set(plans, name, value)


def _with_own_kernel(original: Any) -> Any:
    """``torch.nn.attention.sdpa_kernel``: where it asks for kernels that only CUDA has, the CPU uses the plain one."""
    has = {SDPBackend.MATH, SDPBackend.FLASH_ATTENTION}

    @functools.wraps(original)
    def choose(backends: Any, *args: Any, **kwargs: Any) -> Any:
        chosen = [backends] if isinstance(backends, SDPBackend) else list(backends)
        return original(chosen if has.intersection(chosen) else [*chosen, SDPBackend.MATH], *args, **kwargs)

    return choose


def _reading(value: Any) -> Any:
    return lambda *_args, **_kwargs: value


def _refusing(kind: str, name: str) -> Any:
    def refuse(*_args: Any, **_kwargs: Any) -> Any:
        raise not_simulated(f"torch.{kind}.{name}")

    return refuse
