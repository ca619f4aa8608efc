"""Optimizers: they work through their parameters as they do on the CPU, so that the numbers stay the same.

Left to itself an optimizer takes the foreach implementation for parameters on an accelerator and a plain
loop on the CPU. Both give a GPU's numbers; only the loop gives those of a run without an accelerator.
What the user asks for by name (``foreach=True``, ``fused=True``, ``capturable=True``) is done.
"""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch.utils import _foreach_utils

from ..claims import device_of
from ..machine import Machine
from ..patching import Patcher


def install(patcher: Patcher, machine: Machine) -> None:
    """Keep optimizers to the choices of the CPU, and let them tell the machine's devices apart."""

    def supported(original: Any) -> Any:
        @functools.wraps(original)
        def get_foreach_kernels_supported_devices() -> list[str]:
            return [kind for kind in original() if kind != machine.kind]

        return get_foreach_kernels_supported_devices

    def by_name(original: Any) -> Any:
        @functools.wraps(original)
        def device_has_foreach_support(device: Any) -> bool:
            return device.type == machine.kind or bool(original(device))

        return device_has_foreach_support

    def by_itself(original: Any) -> Any:
        @functools.wraps(original)
        def has_foreach_support(tensors: Any, device: Any) -> bool:
            return device.type != machine.kind and bool(original(tensors, device))

        return has_foreach_support

    for name, make in (
        ("_get_foreach_kernels_supported_devices", supported),
        ("_device_has_foreach_support", by_name),
        ("_has_foreach_support", by_itself),
        ("_group_tensors_by_device_and_dtype", _grouping),
    ):
        original = getattr(_foreach_utils, name)
        patcher.everywhere(torch, name, original, make(original))


def _grouping(original: Any) -> Any:
    """Group tensors by the devices they claim (``torch._C`` only sees true ones)."""

    @functools.wraps(original)
    def group(tensorlistlist: Any, with_indices: bool = False) -> Any:
        found: dict[Any, Any] = {}
        for (_, dtype), (lists, indices) in original(tensorlistlist, with_indices).items():
            for number, first in enumerate(lists[0]):
                split, places = found.setdefault((device_of(first), dtype), ([[] for _ in lists], []))
                for own, every in zip(split, lists):
                    if every:
                        own.append(every[number])
                if indices:
                    places.append(indices[number])
        return found

    return group
