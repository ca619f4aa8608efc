"""Leaves: what an optimizer or a module refuses because a move made it a result, healed where mistakes are healed.

Without an accelerator the move gives back the Parameter itself, and all is well.
"""

from __future__ import annotations

import functools
from typing import Any

import torch

from ..claims import claim_of, device_of
from ..events import Operand
from ..machine import Machine
from ..patching import Patcher
from ..refusals import Refusal

Tensor = torch.Tensor


def install(patcher: Patcher, machine: Machine) -> None:
    """Let optimizers and modules take what is no leaf, once that is written down."""
    if machine.heal:
        patcher.wrap(torch.optim.Optimizer, "add_param_group", lambda original: _taking(machine, original))
        for name in ("register_parameter", "__setattr__"):
            patcher.wrap(torch.nn.Module, name, lambda original: _registering(machine, original))


def _taking(machine: Machine, original: Any) -> Any:
    @functools.wraps(original)
    def add_param_group(self: torch.optim.Optimizer, param_group: dict[str, Any]) -> None:
        try:
            original(self, param_group)
        except ValueError as error:
            # `original` has made a list of the parameters by now.
            given = param_group.get("params")
            results = (
                [p for p in given if isinstance(p, Tensor) and _is_result(p)] if type(given) is list else []
            )
            if not results or any(tensor._is_view() for tensor in results):
                raise
            operands = [Operand("params", tensor, claim_of(tensor), device_of(tensor)) for tensor in results]
            refusal = Refusal(str(error), "no-leaf", ValueError, tuple(results))
            machine.refuse(refusal, "torch.optim.Optimizer.add_param_group", operands)
            for tensor in results:
                tensor.detach_().requires_grad_()
            original(self, param_group)

    return add_param_group


def _registering(machine: Machine, original: Any) -> Any:
    name = f"torch.nn.Module.{original.__name__}"

    @functools.wraps(original)
    def register(self: torch.nn.Module, *args: Any, **kwargs: Any) -> None:
        try:
            original(self, *args, **kwargs)
        except TypeError as error:
            key, value = (
                kwargs.get("name", args[0] if args else None),
                kwargs.get("param", args[-1] if args else None),
            )
            if (
                not isinstance(value, Tensor)
                or isinstance(value, torch.nn.Parameter)
                or not _is_result(value)
            ):
                raise
            operand = Operand("param", value, claim_of(value), device_of(value))
            machine.refuse(Refusal(str(error), "no-leaf", TypeError, (value,)), name, [operand])
            original(self, key, torch.nn.Parameter(value.detach()))

    return register


def _is_result(tensor: Tensor) -> bool:
    return tensor.requires_grad and not tensor.is_leaf
