"""Gradients that an autograd function of the program gives back: the engine wants each where its input is."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from typing import Any, Optional

import torch
from torch.autograd.function import BackwardCFunction, Function

from ..claims import Claim, claim_of, device_of, lay
from ..events import Operand
from ..machine import Machine
from ..patching import Patcher
from ..refusals import Refusal

Tensor = torch.Tensor
#: The attribute of a call's context that tells the inputs that are tensors: which arguments, and their devices.
_INPUTS = "_devfix_inputs"


def install(patcher: Patcher, machine: Machine) -> None:
    """Have every call remember where its inputs are, and hold the gradients for them against it."""
    # A classmethod, or in torch from 2.14 on one that is written in C: both give what is bound to a class.
    patcher.set(Function, "apply", classmethod(_remembering(inspect.getattr_static(Function, "apply"))))
    patcher.wrap(BackwardCFunction, "apply", functools.partial(_checked, machine))


def _remembering(original: Any) -> Any:
    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        results = original.__get__(None, cls)(*args, **kwargs)
        context = _context(results, cls)
        if context is not None:
            inputs = [(number, device_of(arg)) for number, arg in enumerate(args) if isinstance(arg, Tensor)]
            setattr(context, _INPUTS, inputs)
        return results

    return apply


def _context(results: Any, cls: Any) -> Optional[Any]:
    """The node of the graph that a call of an autograd function left behind."""
    for result in results if isinstance(results, tuple) else (results,):
        node = result.grad_fn if isinstance(result, Tensor) else None
        if getattr(node, "_forward_cls", None) is cls:
            return node
    return None


def _checked(machine: Machine, original: Any) -> Any:
    @functools.wraps(original)
    def apply(self: Any, *args: Any) -> Any:
        found = original(self, *args)
        gradients = list(found) if isinstance(found, tuple) else [found]
        strangers = list(_strangers(self, gradients))
        for index, number, device in strangers:
            if gradients[number].dim():
                _refuse(machine, self, index, gradients[number], device)
            gradients[number] = lay(gradients[number].clone(), Claim(device))
        if not strangers:
            return found
        return tuple(gradients) if isinstance(found, tuple) else gradients[0]

    return apply


def _strangers(context: Any, gradients: list[Any]) -> Iterator[tuple[int, int, torch.device]]:
    """The gradients that are not where their inputs are: which among the tensors, which of all, and where it belongs."""
    needed = context.needs_input_grad
    for index, (number, device) in enumerate(getattr(context, _INPUTS, ())):
        gradient = gradients[number] if number < len(gradients) and needed[number] else None
        if isinstance(gradient, Tensor) and device_of(gradient) != device:
            claim = claim_of(gradient)
            if claim is None or claim.device is not None:
                yield index, number, device


def _refuse(machine: Machine, context: Any, index: int, gradient: Tensor, device: torch.device) -> None:
    """The words of torch/csrc/autograd/engine.cpp, ``validate_outputs``."""
    places = f"expected device {device} but got {device_of(gradient)}"
    text = f"Function {context.name()} returned an invalid gradient at index {index} - {places}"
    given = Operand("gradient", gradient, claim_of(gradient), device_of(gradient))
    machine.refuse(Refusal(text, blamed=(gradient,)), "torch.autograd.Function.backward", [given])
