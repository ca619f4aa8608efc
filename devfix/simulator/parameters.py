"""Parameters: what the optimizers of a program had trained when it ended, to compare runs by."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import math
import sys
import weakref
from collections.abc import Iterator
from typing import Any, Callable, Optional

import torch
from torch.optim import optimizer as optimizers
from torch.utils._python_dispatch import _disable_current_modes

from .claims import device_of

Tensor = torch.Tensor
#: The methods as torch has them, whatever is patched.
_true: Any = torch._C.TensorBase
#: How many numbers of all parameters together a report shows.
MOST_VALUES = 2000


class Trained:
    """Remembers the parameters of every optimizer that made a step, in the order of their first steps.

    An optimizer that is let go leaves a summary behind, so that watching one keeps no memory alive.
    """

    def __init__(self) -> None:
        self.steps = 0
        self._after_step: Callable[[], None] = lambda: None
        self._alive: dict[int, tuple[Any, list[Tensor]]] = {}
        self._order: list[int] = []
        self._gone: dict[int, list[_Summary]] = {}
        self._numbers: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()

    def watch(self, after_step: Callable[[], None]) -> None:
        """Be told of every step of every optimizer, and pass it on."""
        self._after_step = after_step
        optimizers.register_optimizer_step_post_hook(self._stepped)
        scaler: Any = torch.amp.GradScaler
        scaler.step = self._counting(scaler.step)

    def _counting(self, original: Any) -> Any:
        """A scaler's step counts too when it leaves the optimizer's out, since a gradient was infinite."""

        @functools.wraps(original)
        def step(*args: Any, **kwargs: Any) -> Any:
            before = self.steps
            out = original(*args, **kwargs)
            if self.steps == before:
                self._count()
            return out

        return step

    def _count(self) -> None:
        self.steps += 1
        self._after_step()

    def _stepped(self, optimizer: Any, _args: Any, _kwargs: Any) -> None:
        number = self._numbers.get(optimizer)
        if number is None:
            number = self._numbers[optimizer] = len(self._order)
            self._order.append(number)
        trained = [tensor for group in optimizer.param_groups for tensor in group["params"]]
        reference = weakref.ref(optimizer, lambda _gone: self._let_go(number))
        self._alive[number] = (reference, trained)
        self._count()

    def _let_go(self, number: int) -> None:
        if sys.is_finalizing():
            # The report is written, and a tensor that is being taken apart must not be looked at.
            return
        _reference, trained = self._alive.pop(number, (None, []))
        self._gone[number] = [_Summary(tensor) for tensor in trained]

    def report(self) -> Optional[dict[str, Any]]:
        """The parameters as plain data: digest, count, sampled values, norm; None when nothing was trained."""
        found = list(self._summaries())
        if not found:
            return None
        digest = hashlib.sha256()
        for summary in found:
            digest.update(summary.digest)
        most = max(1, MOST_VALUES // len(found))
        return {
            "sha256": digest.hexdigest(),
            "count": len(found),
            "values": [_spread(summary.values, most) for summary in found[:MOST_VALUES]],
            "norm": math.sqrt(sum(summary.square for summary in found)),
            "device_types": sorted({summary.device for summary in found}),
        }

    def _summaries(self) -> Iterator[_Summary]:
        for number in self._order:
            if number in self._gone:
                yield from self._gone[number]
            else:
                yield from (_Summary(tensor) for tensor in self._alive[number][1])


def _spread(values: list[float], most: int) -> list[float]:
    """At most so many of the values, evenly spread."""
    return values[:: max(1, -(-len(values) // most))]


class _Summary:
    """What is kept of one parameter."""

    def __init__(self, tensor: Tensor) -> None:
        self.device = device_of(tensor).type
        with _disable_current_modes(), torch.no_grad():
            held = _on_host(tensor)
            flat = held.contiguous().reshape(-1)
            head = f"{tuple(held.shape)} {held.dtype}".encode()
            self.digest = hashlib.sha256(head + _bytes(flat)).digest()
            real = torch.view_as_real(flat).reshape(-1) if flat.is_complex() else flat
            wide = _true.to(real, torch.float64)
            self.square: float = _true.item((wide * wide).sum())
            step = max(1, -(-wide.numel() // MOST_VALUES))
            self.values: list[float] = _true.tolist(wide[::step])


def _on_host(tensor: Tensor) -> Tensor:
    """A dense copy that a patched method has no part in."""
    held = _true.cpu(_true.detach(tensor))
    copied: Tensor = _true.clone(held if held.layout == torch.strided else _true.to_dense(held))
    return copied


def _bytes(flat: Tensor) -> bytes:
    return ctypes.string_at(_true.data_ptr(flat), flat.numel() * flat.element_size())
