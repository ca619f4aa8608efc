"""Factories that look at their device before they call an operator: ``torch.tensor`` and its relatives.

All others (``zeros``, ``randn``, ...) reach the dispatch mode with the device they were given.
"""

from __future__ import annotations

import functools
from typing import Any, Optional

import torch
from torch.overrides import _get_current_function_mode_stack
from torch.utils import _device

from ..claims import CPU, Claim, Made, claim_of, device_of, lay
from ..machine import Machine, active
from ..metal_dtypes import holding
from ..patching import Patcher
from ..places import user_spot
from .legacy_types import checked_device
from .tensor_moves import move

Tensor = torch.Tensor


def install(patcher: Patcher, machine: Machine) -> None:
    """Let the factories that read data put it on the machine's devices."""
    patcher.wrap(torch, "tensor", lambda original: _copying(machine, original))
    for name in ("as_tensor", "asarray"):
        patcher.wrap(torch, name, lambda original: _sharing(machine, original))
    patcher.wrap(torch, "from_numpy", lambda original: _from_numpy(machine, original))
    patcher.wrap(Tensor, "new_tensor", lambda original: _new_tensor(machine, original))
    patcher.wrap(Tensor, "new", lambda original: _new(machine, original))
    patcher.set(Tensor, "__init__", _settle_on_host)


def _wanted(machine: Machine, named: Any) -> Optional[torch.device]:
    """The device of a factory call: the one it names, or the default device."""
    named = default_device() if named is None else named
    return None if named is None else machine.device(named)


def default_device() -> Optional[torch.device]:
    """The default device, if one was set: by a block (``with torch.device(...)``) or for good."""
    if torch._C._len_torch_function_stack():
        for mode in reversed(_get_current_function_mode_stack()):  # type: ignore[no-untyped-call]
            if isinstance(mode, _device.DeviceContext):
                return mode.device
    return _device.CURRENT_DEVICE


def _laid(
    machine: Machine,
    out: Tensor,
    device: torch.device,
    by: str,
    kind: str = "factory",
    *,
    pinned: bool = False,
) -> Tensor:
    if device is CPU and not machine.origins and not pinned and claim_of(out) is None:
        return out
    if machine.is_accelerator(device):
        machine.touch()
        out = holding(machine, device, out, by, [])
    elif pinned:
        machine.work()
    made = Made(kind, by, user_spot(3)) if machine.origins else None
    return lay(out, Claim(device, made, pinned=pinned and device is CPU))


def _copying(machine: Machine, original: Any) -> Any:
    @functools.wraps(original)
    def tensor(data: Any, *args: Any, device: Any = None, pin_memory: bool = False, **kwargs: Any) -> Tensor:
        if pin_memory and machine.count == 0:
            return original(data, *args, device=device, pin_memory=True, **kwargs)  # type: ignore[no-any-return]
        if isinstance(data, Tensor) and device is None:
            # The copy is where its data is, unless told otherwise.
            target = device_of(data)
        else:
            target = _wanted(machine, device) or CPU
        made = original(data, *args, device="cpu", **kwargs)
        return _laid(machine, made, target, "torch.tensor", pinned=pin_memory)

    return tensor


def _sharing(machine: Machine, original: Any) -> Any:
    name = f"torch.{original.__name__}"

    @functools.wraps(original)
    def factory(data: Any, *args: Any, device: Any = None, **kwargs: Any) -> Tensor:
        known = device_of(data) if isinstance(data, Tensor) else CPU
        if kwargs.get("copy") is False and device is not None and machine.device(device) != known:
            # torch/csrc/utils/tensor_new.cpp
            raise ValueError(f"can't alias tensor from device '{known}' to '{torch.device(device)}'.")
        if isinstance(data, Tensor):
            target = None if device is None else machine.device(device)
            return move(original(data, *args, **kwargs), target, name)
        target = _wanted(machine, device)
        if target is None or target is CPU:
            out = original(data, *args, device="cpu", **kwargs)
            kind = "numpy" if hasattr(type(data), "__array__") else "factory"
            return _laid(machine, out, CPU, name, kind) if machine.origins else out
        # What lies on the accelerator shares no memory with an array.
        return _laid(machine, original(data, *args, device="cpu", **kwargs).clone(), target, name)

    return factory


def _from_numpy(machine: Machine, original: Any) -> Any:
    @functools.wraps(original)
    def from_numpy(array: Any) -> Tensor:
        out = original(array)
        return _laid(machine, out, CPU, "torch.from_numpy", "numpy") if machine.origins else out

    return from_numpy


def _new_tensor(machine: Machine, original: Any) -> Any:
    @functools.wraps(original)
    def new_tensor(self: Tensor, data: Any, *args: Any, device: Any = None, **kwargs: Any) -> Tensor:
        target = device_of(self) if device is None else machine.device(device)
        return _laid(
            machine, original(self, data, *args, device="cpu", **kwargs), target, "Tensor.new_tensor"
        )

    return new_tensor


def _new(machine: Machine, original: Any) -> Any:
    @functools.wraps(original)
    def new(self: Tensor, *args: Any, device: Any = None, **kwargs: Any) -> Tensor:
        target = device_of(self)
        if device is not None:
            target = checked_device(machine, target, device, "Tensor.new")
        made = original(self, *args, **kwargs)
        claim = claim_of(made)
        if claim is not None and claim.device is not None and device_of(made) == target:
            # Made over a storage that is there already.
            return made  # type: ignore[no-any-return]
        return _laid(machine, made, target, "Tensor.new")

    return new


def _settle_on_host(self: Tensor, *_args: Any, **_kwargs: Any) -> None:
    """``torch.Tensor(2, 3)`` makes a tensor of the default type, though it looks as if C++ had made it."""
    claim = claim_of(self)
    machine = active()
    default = CPU if machine is None else machine.default_type_device
    if default is not CPU and (claim is None or claim.device is not default):
        lay(self, Claim(default))
    elif claim is not None and claim.device is None:
        claim.device = CPU
