"""Sparse and nested tensors: their factories check the device in C++ before an operator is called."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch.utils import _device

from ..claims import CPU, Claim, lay
from ..machine import Machine
from ..patching import Patcher
from .factories import default_device
from .tensor_moves import move

_FACTORIES = """
    sparse_coo_tensor sparse_csr_tensor sparse_csc_tensor sparse_bsr_tensor sparse_bsc_tensor sparse_compressed_tensor
""".split()


def install(patcher: Patcher, machine: Machine) -> None:
    """Let factories of sparse and nested tensors put them on the machine's devices."""
    # Holds torch's own functions; were it filled now for the first time, it would hold those below.
    _device._device_constructors()
    for name in _FACTORIES:
        patcher.wrap(torch, name, lambda original: _together(machine, original))
    patcher.wrap(torch.Tensor, "_make_wrapper_subclass", lambda original: _wrapping(machine, original))
    patcher.wrap(torch.nested, "nested_tensor", lambda original: _copying(machine, original))
    for name in ("nested_tensor", "as_nested_tensor"):
        patcher.wrap(torch.nested, name, _joining)


def _together(machine: Machine, original: Any) -> Any:
    """A factory that takes all its parts to the device it names, or to the default one."""

    @functools.wraps(original)
    def factory(*args: Any, device: Any = None, **kwargs: Any) -> Any:
        named = default_device() if device is None else device
        if named is None:
            _refuse_parts_apart(machine, original.__name__, args)
            return original(*args, **kwargs)
        target = machine.device(named)
        by = f"torch.{original.__name__}"
        args = tuple(move(arg, target, by) if isinstance(arg, torch.Tensor) else arg for arg in args)
        kwargs = {
            name: move(arg, target, by) if isinstance(arg, torch.Tensor) else arg
            for name, arg in kwargs.items()
        }
        return move(original(*args, device="cpu", **kwargs), target, by)

    return factory


#: What the indices of a compressed matrix are called, by what is compressed.
_INDICES = {"r": ("crow_indices", "col_indices"), "c": ("ccol_indices", "row_indices")}


def _refuse_parts_apart(machine: Machine, name: str, args: tuple[Any, ...]) -> None:
    """Raise the error that C++ raises for compressed indices on another device than the values."""
    layout = name.partition("_")[2]
    called = _INDICES.get(layout[2:3])
    tensors = [arg for arg in args[:3] if isinstance(arg, torch.Tensor)]
    if called is None or layout == "coo_tensor" or len(tensors) < 3:
        return
    for said, indices in zip(called, tensors):
        if indices.device != tensors[2].device:
            raise RuntimeError(f"Values and {said} need to be on the same device.")


def _wrapping(machine: Machine, original: Any) -> Any:
    """What makes tensors that wrap others and say where they are: autograd would look for a true accelerator there."""

    @functools.wraps(original)
    def made(*args: Any, **kwargs: Any) -> Any:
        given = [*args, *kwargs.values()]
        there = next((each for each in given if _is_accelerator(machine, each)), None)
        if there is None:
            return original(*args, **kwargs)
        args = tuple(CPU if _is_accelerator(machine, each) else each for each in args)
        kwargs = {name: CPU if _is_accelerator(machine, each) else each for name, each in kwargs.items()}
        return lay(original(*args, **kwargs), Claim(there))

    return staticmethod(made)


def _is_accelerator(machine: Machine, given: Any) -> bool:
    return isinstance(given, torch.device) and machine.is_accelerator(given)


def _copying(machine: Machine, original: Any) -> Any:
    @functools.wraps(original)
    def nested_tensor(*args: Any, device: Any = None, **kwargs: Any) -> Any:
        named = default_device() if device is None else device
        if named is None or kwargs.get("layout") is torch.jagged:
            return original(*args, device=device, **kwargs)
        return move(
            original(*args, device="cpu", **kwargs), machine.device(named), "torch.nested.nested_tensor"
        )

    return nested_tensor


def _joining(original: Any) -> Any:
    """What makes a nested tensor of several, which are joined where the first is: on a GPU it is ``cat`` that refuses others."""

    @functools.wraps(original)
    def nested(tensors: Any, *args: Any, **kwargs: Any) -> Any:
        told = args or kwargs.get("device") is not None or kwargs.get("layout") is torch.jagged
        rows = [] if told or isinstance(tensors, torch.Tensor) else list(tensors)
        if not all(isinstance(row, torch.Tensor) for row in rows) or len({row.device for row in rows}) < 2:
            return original(tensors, *args, **kwargs)
        target = torch.cat([row.flatten() for row in rows]).device
        return original([move(row, target, "torch.nested") for row in rows], **kwargs)

    return nested
