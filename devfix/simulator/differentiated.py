"""Differentiated: where that is which gradients were computed for, whoever takes the steps along them.

A program may train without an optimizer of torch: by hand, or by ``torch.func`` with parameters that it holds itself.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Callable

import torch

from .claims import device_of

#: What gradients are computed for, by the arguments of the call that computes them.
_Sought = Callable[[Mapping[str, Any]], Iterator[torch.Tensor]]


class Differentiated:
    """Remembers the kinds of devices of what gradients were computed for, until ``enough`` says that it is not asked for."""

    def __init__(self, enough: Callable[[], bool]) -> None:
        self._enough = enough
        self._device_types: set[str] = set()

    def watch(self) -> None:
        """See every computation of gradients: ``Tensor.backward`` and ``torch.func`` end in these two as well."""
        autograd: Any = torch.autograd
        autograd.backward = self._seeing(autograd.backward, _accumulated)
        autograd.grad = self._seeing(autograd.grad, _asked_for)

    @property
    def device_types(self) -> list[str]:
        """The kinds of devices."""
        return sorted(self._device_types)

    def _seeing(self, original: Any, sought: _Sought) -> Any:
        signature = inspect.signature(original)

        @functools.wraps(original)
        def watched(*args: Any, **kwargs: Any) -> Any:
            if self._enough():
                return original(*args, **kwargs)
            try:
                given = signature.bind(*args, **kwargs)
            except TypeError:
                return original(*args, **kwargs)  # which says in its own words what is wrong
            told = given.arguments
            # ``model.parameters()`` can be gone through once.
            told.update({name: tuple(value) for name, value in told.items() if isinstance(value, Iterator)})
            # The graph is taken apart by the computation, so it is looked at before.
            with torch._C.DisableTorchFunction():
                self._device_types.update(device_of(tensor).type for tensor in sought(told))
            return original(*given.args, **given.kwargs)

        return watched


def _accumulated(told: Mapping[str, Any]) -> Iterator[torch.Tensor]:
    """What a call of ``backward`` adds gradients to: what it names, or else every leaf."""
    named = list(_tensors(told.get("inputs")))
    return iter(named) if named else _leaves(_tensors(told["tensors"]))


def _asked_for(told: Mapping[str, Any]) -> Iterator[torch.Tensor]:
    """What a call of ``grad`` asks for."""
    return _tensors(told["inputs"])


def _tensors(given: Any) -> Iterator[torch.Tensor]:
    if isinstance(given, Mapping):
        given = given.values()
    several = [given] if isinstance(given, torch.Tensor) else given or ()
    return (each for each in several if isinstance(each, torch.Tensor))


def _leaves(outputs: Iterable[torch.Tensor]) -> Iterator[torch.Tensor]:
    """The tensors at the ends of the graph behind these, and those among these that are such themselves."""
    found: set[Any] = set()
    for output in outputs:
        if output.grad_fn is not None:
            found.add(output.grad_fn)
        elif output.requires_grad:
            yield output
    left = list(found)
    while left:
        node = left.pop()
        if type(node).__name__ == "AccumulateGrad":
            yield node.variable
        behind = {further for further, _index in node.next_functions} - found - {None}
        found |= behind
        left.extend(behind)
