"""Device numbers: ``torch.device(0)`` and ``device=0``, which torch reads as the accelerator's first device.

Which accelerator that is, torch's C++ asks its own build, and a build without one refuses the number.
"""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch.utils import _device

from ..claims import device_of
from ..machine import Machine
from ..patching import Patcher

_real: Any = torch.device
#: Factories whose ``device`` is read in C++; the others are patched as a whole elsewhere.
_FACTORIES = """
    arange empty empty_like empty_permuted empty_strided eye fft.fftfreq fft.rfftfreq full full_like linspace logspace
    normal ones ones_like rand rand_like randint randint_like randn randn_like randperm zeros zeros_like
""".split()


class _SeesDevices(type):
    """``torch.device`` as a name: whoever asks is told that devices are its instances."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, _real)

    def __eq__(cls, other: object) -> bool:
        return other is _real or other is cls

    def __hash__(cls) -> int:
        return hash(_real)


def install(patcher: Patcher, machine: Machine) -> None:
    """Let numbers stand for the machine's devices."""
    if machine.count == 0:
        return

    class device(metaclass=_SeesDevices):  # noqa: N801 - torch's name
        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            if len(args) == 1 and not kwargs and _is_number(args[0]):
                return _real(machine.kind, args[0])
            return _real(*args, **kwargs)

    device.__module__, device.__qualname__, device.__doc__ = "torch", "device", _real.__doc__
    patcher.set(torch, "device", device)
    patcher.wrap(torch._C._nn, "_parse_to", lambda original: _parsing(machine, original))
    # Holds torch's own functions; were it filled now for the first time, it would hold those below.
    _device._device_constructors()
    for name in _FACTORIES:
        package, _, function = name.rpartition(".")
        owner = getattr(torch, package) if package else torch
        patcher.wrap(owner, function, lambda original: _reading_numbers(machine, original))
    for name in ("new_empty", "new_empty_strided", "new_full", "new_ones", "new_zeros"):
        patcher.wrap(torch.Tensor, name, lambda original: _reading_numbers(machine, original))
    patcher.finally_call(lambda: _forget_default(machine))


def _forget_default(machine: Machine) -> None:
    """No default device outlives its machine."""
    device = _device.CURRENT_DEVICE
    if device is not None and device.type == machine.kind:
        torch.set_default_device(None)


def _reading_numbers(machine: Machine, original: Any) -> Any:
    @functools.wraps(original)
    def factory(*args: Any, **kwargs: Any) -> Any:
        if kwargs and _is_number(kwargs.get("device")):
            kwargs["device"] = _real(machine.kind, kwargs["device"])
        return original(*args, **kwargs)

    return factory


def _parsing(machine: Machine, original: Any) -> Any:
    """``torch._C._nn._parse_to``, which reads the arguments of ``Module.to``, a tensor's real device among them."""

    @functools.wraps(original)
    def parse_to(*args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], torch.Tensor):
            args = (device_of(args[0]), args[0].dtype, *args[1:])
        elif args and _is_number(args[0]):
            args = (_real(machine.kind, args[0]), *args[1:])
        if _is_number(kwargs.get("device")):
            kwargs["device"] = _real(machine.kind, kwargs["device"])
        return original(*args, **kwargs)

    return parse_to


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
