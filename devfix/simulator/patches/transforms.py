"""Fourier transforms of float16, which CUDA has and the CPU refuses before an operator is called."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import torch

from ..claims import device_of
from ..half_kernels import TRANSFORMED, odd_lengths
from ..machine import Machine
from ..patching import Patcher

_KINDS = "fft ifft rfft irfft hfft ihfft".split()
#: Transforms of all dimensions that are told, of the last two, and of one.
_DIMENSIONS: dict[str, Any] = {"n": None, "2": (-2, -1), "": -1}
_NARROW = {torch.float32: torch.float16, torch.complex64: torch.complex32}


def install(patcher: Patcher, machine: Machine) -> None:
    """Compute them in float32."""
    if machine.kind != "cuda":
        return
    for kind in _KINDS:
        for suffix in _DIMENSIONS:
            patcher.wrap(torch.fft, kind + suffix, functools.partial(_halved, kind + suffix))


def _halved(name: str, original: Any) -> Any:
    @functools.wraps(original)
    def transform(*args: Any, **kwargs: Any) -> Any:
        given = args[0] if args else kwargs.get("input")
        if not isinstance(given, torch.Tensor) or given.dtype not in TRANSFORMED:
            return original(*args, **kwargs)
        if device_of(given).type != "cuda" or kwargs.get("out") is not None:
            return original(*args, **kwargs)
        refusal = odd_lengths(given, _lengths(name, given.shape, args[1:], kwargs))
        if refusal is not None:
            raise refusal.exception()
        wide = given.to(torch.complex64 if given.is_complex() else torch.float32)
        named = {key: value for key, value in kwargs.items() if key != "input"}
        found = original(wide, *args[1:], **named)
        return found.to(_NARROW[found.dtype])

    return transform


def _lengths(name: str, shape: Sequence[int], args: Sequence[Any], kwargs: dict[str, Any]) -> list[int]:
    """The lengths of the signals, which a real transform that is undone has nearly twice as many of as it is given."""
    suffix = name[-1] if name[-1] in "n2" else ""
    asked = args[0] if args else kwargs.get("s" if suffix else "n")
    told = args[1] if len(args) > 1 else kwargs.get("dim", _DIMENSIONS[suffix])
    sizes = None if asked is None else ([asked] if isinstance(asked, int) else list(asked))
    if told is None:
        told = range(-len(sizes if sizes is not None else shape), 0)
    dims = [told] if isinstance(told, int) else list(told)
    lengths = [shape[dim] for dim in dims]
    if name.startswith(("irfft", "hfft")):
        lengths[-1] = 2 * (lengths[-1] - 1)
    return [own if size in (None, -1) else size for own, size in zip(lengths, sizes or [None] * len(lengths))]
