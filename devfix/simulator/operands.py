"""Operands: the arguments of one call by the names of the schema, and where its tensors claim to be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Callable, NamedTuple, Optional

import torch

from .claims import CPU
from .refusals import Refusal

#: Tells the device that a tensor claims; None for what fits every device.
DeviceOf = Callable[[torch.Tensor], Optional[torch.device]]


class RefusedError(Exception):
    """Carries a refusal out of a rule."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


class LeftToTorchError(Exception):
    """The call is wrong in another way too (its shapes do not fit), and torch says that first."""


class Operand(NamedTuple):
    """What the rules know of a tensor: where it claims to be (None: anywhere) and its shape."""

    device: Optional[torch.device]
    shape: tuple[int, ...]

    @property
    def host_scalar(self) -> bool:
        """Whether it is a CPU tensor without dimensions, which many kernels take as a number."""
        return not self.shape and self.device is not None and self.device.type == "cpu"


class Call:
    """One call of an operator."""

    def __init__(
        self,
        func: Any,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        tensors: Sequence[torch.Tensor],
        at: DeviceOf,
    ) -> None:
        self.func = func
        self.args = args
        self.kwargs = kwargs
        self.tensors = tensors
        self.device_of = at

    @property
    def name(self) -> str:
        """The operator's name without its namespace."""
        return str(self.func._schema.name).rpartition("::")[2]

    def get(self, name: str, default: Any = None) -> Any:
        """The argument of that name, or what the schema or the caller says where it was not passed."""
        if name in self.kwargs:
            return self.kwargs[name]
        for position, argument in enumerate(self.func._schema.arguments):
            if argument.name == name:
                return self.args[position] if position < len(self.args) else argument.default_value
        return default

    def operand(self, name: str) -> Optional[Operand]:
        """The tensor of that name; None when there is none."""
        value = self.get(name)
        return self.seen(value) if isinstance(value, torch.Tensor) else None

    def need(self, name: str) -> Operand:
        """The tensor of that name, which the schema asks for; raises LeftToTorchError where it is missing."""
        found = self.operand(name)
        if found is None:
            raise LeftToTorchError
        return found

    def seen(self, tensor: torch.Tensor) -> Operand:
        """What the rules know of a tensor."""
        shape = (1,) * tensor.dim() if tensor.is_nested else tuple(tensor.shape)  # those have no sizes
        return Operand(self.device_of(tensor), shape)

    def checked_arguments(self) -> Iterator[tuple[str, torch.Tensor]]:
        """The tensors that a check in front of a kernel looks at, in its order: outputs, then what has a position.

        torchgen/dest/register_dispatch_key.py leaves out what can only be passed by keyword.
        """
        arguments = self.func._schema.arguments
        ordered = [a for a in arguments if a.is_out] + [
            a for a in arguments if not a.is_out and not a.kwarg_only
        ]
        for argument in ordered:
            yield from ((argument.name, tensor) for tensor in tensors_in(self.get(argument.name)))

    @property
    def accelerator(self) -> torch.device:
        """The first device among the operands that is none of the host."""
        devices = (self.device_of(tensor) for tensor in self.tensors)
        return next((device for device in devices if device is not None and device.type != "cpu"), CPU)


def tensors_in(value: Any) -> list[torch.Tensor]:
    """The tensors of an argument: itself, or the members of a list."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [part for part in value if isinstance(part, torch.Tensor)]
    return []


def refuse(message: str, kind: str = "device", error: type[Exception] = RuntimeError) -> RefusedError:
    """What a rule raises to refuse a call; who is to blame is found out from the call."""
    return RefusedError(Refusal(message, kind, error))


def blamed_in(call: Call, kind: str) -> tuple[torch.Tensor, ...]:
    """The operands that are not where they should be.

    Next to an accelerator these are the tensors left on the host, except numbers without dimensions when
    something larger was left there too; where only the host will do, those on the accelerator.
    """
    placed = [(tensor, call.device_of(tensor)) for tensor in call.tensors]
    if kind == "host-only":
        return tuple(tensor for tensor, device in placed if device is not None and device.type != "cpu")
    hosts = tuple(tensor for tensor, device in placed if device is not None and device.type == "cpu")
    if not hosts:
        return tuple(tensor for tensor, device in placed if device != call.accelerator)
    return tuple(tensor for tensor in hosts if tensor.dim()) or hosts
