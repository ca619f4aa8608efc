"""Storages: they carry the claims, say where they claim to be, and are copied with their claims.

What torch writes in Python on top of a storage's device (``clone``, ``cpu``, ``deepcopy``, ``torch.save``, pickling)
then does as on the accelerator.
"""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from ..claims import CPU, Claim, Made, device_of
from ..machine import Machine
from ..patching import Patcher
from ..places import user_spot
from ..transfers import direction

Storage = torch.UntypedStorage
Tensor = torch.Tensor
_true_device: Any = torch._C.StorageBase.device  # type: ignore[attr-defined]


def install(patcher: Patcher, machine: Machine) -> None:
    """Let storages be on the machine's devices."""
    patcher.set(Storage, "device", property(device_of_storage))
    patcher.set(Storage, "__new__", _new(machine, Storage.__new__))
    for name in ("__getitem__", "new"):
        patcher.wrap(Storage, name, _inheriting)
    patcher.wrap(Storage, "copy_", lambda original: _copy(machine, original))
    patcher.wrap(Storage, "is_shared", _is_shared)
    patcher.wrap(Tensor, "set_", lambda original: _set(machine, original))


def device_of_storage(storage: Any) -> torch.device:
    """The device that a storage claims to be on."""
    claim = getattr(storage, "_claim", None)
    if claim is not None and claim.device is not None:
        return claim.device  # type: ignore[no-any-return]
    return _true_device.__get__(storage)  # type: ignore[no-any-return]


def _new(machine: Machine, original: Any) -> Any:
    def __new__(cls: Any, *args: Any, device: Any = None, **kwargs: Any) -> Any:  # noqa: N807 - Python's name
        target = CPU if device is None else machine.device(device)
        if not machine.is_accelerator(target):
            return original(cls, *args, **kwargs, **({} if device is None else {"device": device}))
        if not (machine.heal and machine.forked):
            # Collating in a worker that has tensors of the device already makes storages, too.
            machine.touch()
        made = original(cls, *args, **kwargs)
        origin = Made("factory", "torch.UntypedStorage", user_spot()) if machine.origins else None
        made._claim = Claim(target, origin)
        return made

    return staticmethod(__new__)


def _inheriting(original: Any) -> Any:
    @functools.wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        made = original(self, *args, **kwargs)
        claim = getattr(self, "_claim", None)
        if claim is not None and isinstance(made, Storage):
            made._claim = claim  # type: ignore[attr-defined]
        return made

    return method


def _copy(machine: Machine, original: Any) -> Any:
    @functools.wraps(original)
    def copy_(self: Any, source: Any, *args: Any, **kwargs: Any) -> Any:
        here, there = device_of_storage(self), device_of_storage(source)
        if not machine.is_accelerator(here) and not machine.is_accelerator(there):
            return original(self, source, *args, **kwargs)
        machine.work()
        what = direction(there, here)
        if what is not None:
            machine.log.transfer(what, self.nbytes(), "UntypedStorage.copy_")
        # Carried out by operators, which need not be judged once more.
        with _disable_current_modes():
            return original(self, source, *args, **kwargs)

    return copy_


def _is_shared(original: Any) -> Any:
    @functools.wraps(original)
    def is_shared(self: Any) -> bool:
        # Any process may open the memory of a CUDA device (torch/csrc/StorageSharing.cpp).
        return device_of_storage(self).type == "cuda" or original(self)

    return is_shared


def _set(machine: Machine, original: Any) -> Any:
    @functools.wraps(original)
    def set_(self: Tensor, source: Any = None, *args: Any, **kwargs: Any) -> Tensor:
        if source is not None:
            _check_same(device_of(self), _device_of_source(source))
            return original(self, source, *args, **kwargs)  # type: ignore[no-any-return]
        return original(self, *args, **kwargs)  # type: ignore[no-any-return]

    return set_


def _device_of_source(source: Any) -> torch.device:
    if isinstance(source, Tensor):
        return device_of(source)
    return device_of_storage(getattr(source, "_untyped_storage", source))


def _check_same(own: torch.device, other: torch.device) -> None:
    """Raise what aten/src/ATen/native/TensorShape.h says of two devices."""
    if own != other:
        raise RuntimeError(
            f'Attempted to set the storage of a tensor on device "{own}" to a storage on different device "{other}".  '
            "This is no longer allowed; the devices must match."
        )
