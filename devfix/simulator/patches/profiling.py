"""Profiling: NVTX ranges and profiles, which show what the CPU does."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import torch
from torch.autograd import profiler

from ..machine import Machine
from ..patching import Patcher

#: The depth of a range where no tool is attached, as an H200 has it.
_NOBODY_LISTENS = -2


def install(patcher: Patcher, machine: Machine) -> None:
    """Let programs profile, without events of a device that has none."""
    patcher.wrap(profiler.profile, "__init__", lambda original: _host_only(machine, original))
    if machine.kind != "cuda":
        return
    patcher.set(torch.cuda.nvtx, "_nvtx", _Ranges())
    for name in ("__enter__", "__exit__"):
        patcher.set(profiler.emit_nvtx, name, _same if name == "__enter__" else _nothing)


def _host_only(machine: Machine, original: Any) -> Any:
    @functools.wraps(original)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        if kwargs.get("use_device") == machine.kind:
            kwargs["use_device"] = None
        if machine.kind == "cuda":
            kwargs.pop("use_cuda", None)
        original(self, *args, **kwargs)

    return init


def _same(self: Any) -> Any:
    return self


def _nothing(*_args: Any, **_kwargs: Any) -> None:
    """Do nothing: nobody listens to NVTX."""


class _Ranges:
    """The functions of ``torch._C._nvtx``."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def rangePushA(self, _message: str) -> int:
        return _NOBODY_LISTENS

    def rangePop(self) -> int:
        return _NOBODY_LISTENS

    def rangeStartA(self, _message: str) -> int:
        return next(self._numbers)

    def deviceRangeStart(self, *_args: Any) -> int:
        return next(self._numbers)

    def __getattr__(self, name: str) -> Any:
        if name in ("markA", "rangeEnd", "deviceRangeEnd"):
            return _nothing
        raise AttributeError(name)
