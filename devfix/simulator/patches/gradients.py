"""Gradients: the engine takes each one to the device of its tensor, which true CPU tensors hide from it."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, Optional

import torch

from ..claims import Claim, claim_of, device_of, lay
from ..events import Operand
from ..machine import Machine, active
from ..patching import Patcher
from ..refusals import Refusal

Tensor = torch.Tensor
_gradient: Any = torch._C.TensorBase.grad


def install(patcher: Patcher, machine: Machine) -> None:
    """Keep gradients where their tensors are."""
    patcher.set(Tensor, "grad", _Descriptor(_get, _set, _delete))
    patcher.wrap(torch.autograd, "grad", _grad)
    patcher.wrap(Tensor, "register_hook", _hooking)
    patcher.wrap(torch.autograd, "_engine_run_backward", functools.partial(_rooted, machine))


class _Descriptor(property):
    """A property that says whose it is, as descriptors made in C do: torch._dynamo of torch 2.4 asks it of this one."""

    __objclass__ = Tensor


def _get(self: Tensor) -> Optional[Tensor]:
    gradient = _gradient.__get__(self)
    return None if gradient is None else _with_claim_of(gradient, self)


def _set(self: Tensor, value: Optional[Tensor]) -> None:
    if isinstance(value, Tensor) and device_of(value) != device_of(self):
        _refuse(_not_assigned(device_of(value), device_of(self)), value, self)
    _gradient.__set__(self, value)


def _not_assigned(found: torch.device, wanted: torch.device) -> str:
    """The words of torch/csrc/autograd/python_variable.cpp, which prints an index as a character of that number."""
    rest = "Please ensure that the gradient and the tensor are on the same device"
    if found.type != wanted.type:
        kinds = f"device type '{found.type}' to a tensor with device type '{wanted.type}'"
        return f"attempting to assign a gradient with {kinds}. {rest}"
    first, second = chr(found.index or 0), chr(wanted.index or 0)
    places = f"device with index '{first}' to a tensor located on device with index '{second}'"
    # A character of number 0 ends the message.
    return f"attempting to assign a gradient located on {places}. {rest}".partition("\0")[0]


def _refuse(text: str, value: Tensor, tensor: Tensor) -> None:
    machine = active()
    assert machine is not None  # noqa: S101 - patches are only there while a machine is simulated
    operands = [Operand(r, t, claim_of(t), device_of(t)) for r, t in (("grad", value), ("self", tensor))]
    blamed = value if machine.is_accelerator(device_of(tensor)) else tensor
    machine.refuse(Refusal(text, blamed=(blamed,)), "Tensor.grad", operands)


def _delete(self: Tensor) -> None:
    _gradient.__delete__(self)


def _with_claim_of(gradient: Tensor, tensor: Tensor) -> Tensor:
    """Let a gradient be where its tensor is, unless the tensor was moved away from it.

    Where mistakes are healed it always is: operands on two devices leave gradients that no accelerator computes.
    """
    claim, own = claim_of(gradient), claim_of(tensor)
    if claim is not None and own is not None and claim.device is own.device is not None:
        # The rule, asked for with every parameter of every step.
        return gradient
    machine = active()
    if claim is not None and claim.device is None:
        claim.device = device_of(tensor)
    elif device_of(gradient) != device_of(tensor) and (gradient.dim() == 0 or _heals(machine)):
        # The engine takes scalars to the other device (torch/csrc/autograd/engine.cpp, validate_outputs).
        lay(gradient, Claim(device_of(tensor)))
    return gradient


def _heals(machine: Optional[Machine]) -> bool:
    return machine is not None and machine.heal


def _copies(machine: Optional[Machine]) -> bool:
    return machine is not None and machine.copied


def _grad(original: Any) -> Any:
    @functools.wraps(original)
    def grad(outputs: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        found = original(outputs, inputs, *args, **kwargs)
        wanted = (inputs,) if isinstance(inputs, Tensor) else inputs
        if isinstance(wanted, (list, tuple)):
            for gradient, tensor in zip(found, wanted):
                if isinstance(gradient, Tensor) and isinstance(tensor, Tensor):
                    _with_claim_of(gradient, tensor)
                    if device_of(gradient) != device_of(tensor) and _copies(active()):
                        lay(gradient, Claim(device_of(tensor)))
        return found

    return grad


def _hooking(original: Any) -> Any:
    """``Tensor.register_hook``: what a hook gives back is where the gradient was (torch/csrc/autograd/python_hook.cpp)."""

    @functools.wraps(original)
    def register_hook(self: Tensor, hook: Any) -> Any:
        @functools.wraps(hook)
        def checked(gradient: Tensor) -> Any:
            found = hook(gradient)
            if isinstance(found, Tensor) and device_of(found) != device_of(gradient):
                name = getattr(hook, "__name__", "<unknown>")
                kinds = f"(was {gradient.type()} got {found.type()})"
                _refuse(f"hook '{name}' has changed the type of value {kinds}", found, gradient)
            return found

        return original(self, checked if callable(hook) else hook)

    return register_hook


def _rooted(machine: Machine, original: Any) -> Any:
    """The engine's start, which wants each gradient where its output is and takes a number there itself."""

    def _engine_run_backward(outputs: Any, gradients: Any, *args: Any, **kwargs: Any) -> Any:
        placed = [_root(machine, number, *pair) for number, pair in enumerate(zip(outputs, gradients))]
        leaves = [(leaf, device_of(leaf)) for leaf in _leaves(outputs)] if machine.copied else ()
        found = original(outputs, type(gradients)(placed), *args, **kwargs)
        for leaf, device in leaves:
            gradient = _gradient.__get__(leaf)
            if gradient is not None and device_of(gradient) != device:
                lay(gradient, Claim(device))
        return found

    return _engine_run_backward


def _leaves(outputs: Any) -> Iterator[Tensor]:
    """The tensors that gradients are gathered in.

    C++ takes a gradient back over a copy into a tensor of another device, which is one here; so what
    arrives is put where it arrives.
    """
    waiting = [output.grad_fn for output in outputs if isinstance(output, Tensor)]
    seen = set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if isinstance(leaf, Tensor):
            yield leaf
        waiting.extend(following for following, _ in node.next_functions)


def _root(machine: Machine, number: int, output: Any, gradient: Any) -> Any:
    if not isinstance(output, Tensor) or not isinstance(gradient, Tensor):
        return gradient
    expected, found = device_of(output), device_of(gradient)
    if found == expected:
        return gradient
    if gradient.dim():
        # torch/csrc/autograd/engine.cpp, validate_outputs
        text = f"invalid gradient at index {number} - expected device {expected} but got {found}"
        _refuse(text, gradient, output)
    return lay(gradient.clone(), Claim(expected))
