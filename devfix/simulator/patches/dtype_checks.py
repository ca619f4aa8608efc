"""Dtype checks: functions that look at dtypes before they reach an operator, healed where they are called.

Everything else is refused by an operator, and healed there. Nothing is installed where mistakes are raised.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from typing import Any

import torch
from torch.nn import functional

from ..dtype_healing import call_checked
from ..machine import Machine
from ..patching import Patcher

Tensor = torch.Tensor
#: Parameters of functions that are written in C++ and tell nobody.
_CONVOLUTION = ("input", "weight", "bias")
_NAMES = {
    "prelu": ("input", "weight"),
    "bilinear": ("input1", "input2", "weight", "bias"),
    "one_hot": ("input", "num_classes"),
    "scaled_dot_product_attention": ("query", "key", "value", "attn_mask"),
    "take_along_dim": ("input", "indices"),
    "quantile": ("input", "q"),
    "nanquantile": ("input", "q"),
    "__invert__": ("input",),
    **{f"conv{dim}d": _CONVOLUTION for dim in (1, 2, 3)},
    **{f"conv_transpose{dim}d": _CONVOLUTION for dim in (1, 2, 3)},
}
_FUNCTIONAL = (
    "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d prelu bilinear one_hot cross_entropy "
    "scaled_dot_product_attention _canonical_mask"
).split()
_METHODS = ("take_along_dim", "quantile", "nanquantile", "logdet", "__invert__")
_FOURIER = (
    "fft fft2 fftn ifft ifft2 ifftn rfft rfft2 rfftn ihfft ihfft2 ihfftn irfft irfft2 irfftn hfft hfft2 hfftn"
).split()
_FUNCTIONS = ("take_along_dim", "quantile", "nanquantile", "logdet")


def install(patcher: Patcher, machine: Machine) -> None:
    """Let these functions carry on with operands cast, where mistakes are healed."""
    if not machine.heal:
        return
    for name in _FUNCTIONAL:
        _install(patcher, machine, functional, name, "torch.nn.functional")
    for name in _FUNCTIONS:
        _install(patcher, machine, torch, name, "torch")
    for name in _FOURIER:
        _install(patcher, machine, torch.fft, name, "torch.fft")
    _install(patcher, machine, torch.linalg, "matrix_rank", "torch.linalg")
    for name in _METHODS:
        _install(patcher, machine, Tensor, name, "torch.Tensor")
    for layer in (torch.nn.RNN, torch.nn.LSTM, torch.nn.GRU):
        _install(patcher, machine, layer, "forward", f"torch.nn.{layer.__name__}")


def _install(patcher: Patcher, machine: Machine, owner: Any, name: str, prefix: str) -> None:
    full = prefix if name == "forward" else f"{prefix}.{name}"
    patcher.wrap(owner, name, lambda original: _healing(machine, original, full))


def _healing(machine: Machine, original: Any, name: str) -> Any:
    names = _parameters(original, name.rpartition(".")[2])

    @functools.wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        return call_checked(machine, original, name, names, args, kwargs)

    return function


def _parameters(function: Any, name: str) -> Sequence[str]:
    if name in _NAMES:
        return _NAMES[name]
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return ()
