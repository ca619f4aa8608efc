"""Subclasses: tensors that are made anew around the data of another, which torch does not expect to see dispatched.

A dispatch mode hands every tensor to Python, where it becomes a ``torch.Tensor``. What then makes an object of
another class, or without the history of the first, of the same tensor refuses to go on.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

import torch

from ..claims import CPU, Claim, Made, claim_of, device_of, lay, remember_replacement
from ..machine import Machine
from ..patching import Patcher
from ..places import is_user_file, user_spot
from ..traits import dispatches_itself

Tensor = torch.Tensor
_true_data: Any = torch._C.TensorBase.data
_undispatched: Any = torch._C._DisableTorchDispatch


def install(patcher: Patcher, machine: Machine) -> None:
    """Let such tensors be made out of sight; they share the storage of the first, and so its claim."""
    patcher.wrap(Tensor, "__new__", lambda original: _constructing(machine, original))
    patcher.wrap(Tensor, "as_subclass", _converting)
    patcher.set(Tensor, "data", property(_data, _set_data))


def _constructing(machine: Machine, original: Any) -> Any:
    def new(cls: Any, *args: Any, **kwargs: Any) -> Any:
        if cls is Tensor or dispatches_itself(cls):
            return original(cls, *args, **kwargs)
        with _undispatched():
            made = original(cls, *args, **kwargs)
        if machine.origins and claim_of(made) is None:
            name = f"{cls.__module__}.{cls.__qualname__}"
            lay(made, Claim(machine.default_type_device, Made("factory", name, user_spot())))
        return made

    return new


def _converting(original: Any) -> Any:
    @functools.wraps(original)
    def as_subclass(self: Tensor, cls: Any) -> Any:
        if dispatches_itself(type(self)):
            return original(self, cls)
        # In torch 2.4 this fails as a constructor does.
        with _undispatched():
            return original(self, cls)

    return as_subclass


def _data(self: Tensor) -> Any:
    try:
        return _true_data.__get__(self)
    except RuntimeError:
        # Under a mode, torch 2.4 has no `data` for tensors made under `torch.inference_mode`.
        if not self.is_inference():
            raise
        with _undispatched():
            return _true_data.__get__(self)


def _set_data(self: Tensor, value: Any) -> None:
    """``p.data = t`` takes a parameter to where ``t`` is; where torch does so, a module is moved."""
    own = isinstance(self, torch.nn.Parameter) and is_user_file(sys._getframe(1).f_code.co_filename)
    if own and isinstance(value, Tensor) and device_of(self) != CPU and device_of(value) == CPU:
        remember_replacement(value, Made("replaced", "torch.Tensor.data", user_spot()))
    _true_data.__set__(self, value)
