"""DLPack: capsules say where their memory is, so a consumer without a device refuses them by itself.

A capsule points to a ``DLManagedTensor`` (dlpack.h); the device in it is made to say what the tensor claims
when torch makes one, and the host again before torch reads one.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any, Optional

import torch
import torch.utils.dlpack

from ..claims import Claim, claim_of, device_of, lay
from ..machine import Machine
from ..patching import Patcher

Tensor = torch.Tensor
#: Numbers of device types in dlpack.h.
_HOST, _TYPES = 1, {"cuda": 2, "mps": 8, "xpu": 14}
_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, [ctypes.py_object]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("index", ctypes.c_int32)]


class _Tensor(ctypes.Structure):
    """The beginning of a ``DLTensor``."""

    _fields_ = [("data", ctypes.c_void_p), ("device", _Device)]


class _Versioned(ctypes.Structure):
    """A ``DLManagedTensorVersioned``, as far as its tensor."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


def install(patcher: Patcher, machine: Machine) -> None:
    """Let capsules carry the claims of the machine's tensors."""
    for name in ("_to_dlpack", "_to_dlpack_versioned"):
        patcher.wrap(torch._C, name, lambda original: _exporting(machine, original))
    patcher.wrap(torch._C, "_from_dlpack", lambda original: _importing(machine, original))
    for module in (torch, torch.utils.dlpack):
        patcher.set(module, "to_dlpack", torch._C._to_dlpack)


def _exporting(machine: Machine, original: Any) -> Any:
    @functools.wraps(original)
    def to_dlpack(tensor: Tensor, *args: Any, dl_device: Any = None, **kwargs: Any) -> Any:
        device = device_of(tensor)
        if not machine.is_accelerator(device):
            return original(tensor, *args, **_known(dl_device, kwargs))
        if dl_device is not None and int(dl_device[0]) == _HOST:
            return original(tensor.cpu(), *args, **kwargs)
        capsule = original(tensor, *args, **kwargs)
        found = _device_in(capsule)
        found.type, found.index = _TYPES[device.type], device.index
        return capsule

    return to_dlpack


def _known(dl_device: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    # Before torch 2.9 there was no such argument.
    return kwargs if dl_device is None else {**kwargs, "dl_device": dl_device}


def _importing(machine: Machine, original: Any) -> Any:
    @functools.wraps(original)
    def from_dlpack(capsule: Any) -> Tensor:
        device: Optional[torch.device] = None
        found = _device_in(capsule)
        if found.type == _TYPES.get(machine.kind):
            device = machine.devices[found.index]
            found.type, found.index = _HOST, 0
        out: Tensor = original(capsule)
        # Memory that is the machine's own already knows where it is.
        return out if device is None or claim_of(out) is not None else lay(out, Claim(device))

    return from_dlpack


def _device_in(capsule: Any) -> _Device:
    """The device in a capsule, where it can be changed."""
    name = _name(capsule)
    address = _pointer(capsule, name)
    if name.endswith(b"_versioned"):
        return _Versioned.from_address(address).tensor.device  # type: ignore[no-any-return]
    return _Tensor.from_address(address).device  # type: ignore[no-any-return]
