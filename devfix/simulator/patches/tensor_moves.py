"""Moves: ``to``, ``cuda``, ``cpu``, ``type`` and other ways to another device."""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch.autograd import forward_ad
from torch.nn.parameter import UninitializedTensorMixin  # type: ignore[attr-defined]

from ..claims import CPU, Claim, Made, device_of, lay, types_of
from ..machine import Machine, active
from ..metal_dtypes import held
from ..patching import Patcher
from ..places import user_spot
from ..transfers import direction, size_of

Tensor = torch.Tensor
_true_to = torch._C.TensorBase.to


class ToCopy(torch.autograd.Function):
    """A copy to another device that autograd follows back; named as torch names its own.

    It has what ``torch.func`` asks of a function that is differentiated, mapped over, or pushed forward.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(source: Tensor, target: torch.device, by: str) -> Tensor:
        """A copy of ``source`` on the device ``target``, with its shape and dtype."""
        return _copy(source, target, by)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, torch.device, str], _output: Tensor) -> None:
        """Keep the devices of both sides."""
        ctx.source, ctx.target = device_of(inputs[0]), inputs[1]

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Optional[Tensor], None, None]:
        """The gradient, moved to the device of ``source``."""
        return move(gradient, ctx.source, "backward"), None, None

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor, *_rest: None) -> Tensor:
        """The tangent, moved as what it belongs to."""
        return move(tangent, ctx.target, "Tensor.to")


def _copy(source: Tensor, target: torch.device, by: str) -> Tensor:
    machine = active()
    assert machine is not None  # noqa: S101 - patches are only there while a machine is simulated
    if machine.is_accelerator(target):
        machine.touch()
        if not _is_lazy(source):
            source = _true_to(source, held(machine, target, source.dtype, "aten::_to_copy", [source]))
    elif machine.forked:
        machine.work()
    if _is_lazy(source):
        with torch._C.DisableTorchFunctionSubclass():
            out = Tensor._make_subclass(type(source), torch.empty(0, dtype=source.dtype))
    else:
        out = _cloned(source)
    what = direction(device_of(source), target)
    if what is not None and not _is_lazy(source):
        machine.log.transfer(what, size_of(out), by)
    made = Made("move", by, user_spot(2)) if machine.origins else None
    return lay(out, Claim(target, made, types=types_of(source) if machine.origins else ()))


def _cloned(source: Tensor) -> Tensor:
    if type(source) in (Tensor, torch.nn.Parameter):
        # The checks have nothing to say to this, and copies are what every step makes.
        with torch._C._DisableTorchDispatch():
            return source.detach().clone()
    return source.detach().clone()


def _is_lazy(tensor: Tensor) -> bool:
    """Whether a tensor is a lazy parameter, which lets itself be moved and nothing else."""
    return isinstance(tensor, UninitializedTensorMixin)


def _is_followed(tensor: Tensor) -> bool:
    """Whether derivatives are taken back through what is made of a tensor, or are pushed forward through it."""
    return (tensor.requires_grad and torch.is_grad_enabled()) or forward_ad._current_level >= 0


def move(tensor: Tensor, target: Optional[torch.device], by: str) -> Tensor:
    """The tensor on ``target``: itself when it is there (or nothing is asked), else a copy."""
    if target is None or device_of(tensor) == target:
        return tensor
    if tensor.is_meta or target.type == "meta":
        # Out of a tensor without data nothing can be copied, wherever to.
        return _true_to(tensor, target if target.type == "meta" else CPU)
    if tensor.layout is torch.jagged:
        return _jagged(tensor, target, by)
    if _is_followed(tensor) and not _is_lazy(tensor):
        return ToCopy.apply(tensor, target, by)  # type: ignore[no-untyped-call,no-any-return]
    return _copy(tensor, target, by)


def _jagged(tensor: Any, target: torch.device, by: str) -> Tensor:
    """A nested tensor of moved rows and moved offsets, which are as long as those that they are made of."""
    nested: Any = torch.nested._internal.nested_tensor
    values, offsets = move(tensor.values(), target, by), move(tensor.offsets(), target, by)
    if tensor.lengths() is None:
        nested._tensor_symint_registry[offsets] = nested._tensor_symint_registry[tensor.offsets()]
        return nested.nested_view_from_values_offsets(values, offsets, tensor._ragged_idx)  # type: ignore[no-any-return]
    lengths = move(tensor.lengths(), target, by)
    nested._tensor_symint_registry[lengths] = nested._tensor_symint_registry[tensor.lengths()]
    return nested.nested_view_from_values_offsets_lengths(  # type: ignore[no-any-return]
        values, offsets, lengths, tensor._ragged_idx
    )


def install(patcher: Patcher, machine: Machine) -> None:
    """Let tensors move between the CPU and the accelerators of the machine."""

    def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if args and isinstance(args[0], torch.dtype) and "device" in kwargs:
            # No overload of torch takes them in this order; it says so itself.
            return _true_to(self, *args, **kwargs)
        device, rest, keywords = _target(machine, args, kwargs)
        if machine.is_accelerator(device) and device_of(self) == device:
            # Even where there is nothing to do.
            machine.touch()
        out = _true_to(self, *rest, **keywords) if rest or keywords else self
        return move(out, device, "Tensor.to")

    def to_kind(kind: str) -> Any:
        def moved(self: Tensor, device: Any = None, non_blocking: bool = False, **keywords: Any) -> Tensor:
            target = machine.device(torch.device(kind) if device is None else device)
            if target.type != kind:
                raise RuntimeError(f"Invalid device, must be {kind} device")
            if device_of(self) == target:
                machine.touch()
            return move(self, target, f"Tensor.{kind}")

        moved.__name__ = kind
        return moved

    def cpu(self: Tensor, memory_format: Any = torch.preserve_format) -> Tensor:
        return move(self, CPU, "Tensor.cpu")

    patcher.set(Tensor, "to", to)
    patcher.set(Tensor, "cpu", cpu)
    patcher.set(Tensor, "cuda", to_kind("cuda"))
    patcher.set(Tensor, "xpu", to_kind("xpu"))


def _target(
    machine: Machine, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Optional[torch.device], tuple[Any, ...], dict[str, Any]]:
    """Where ``to`` goes, and what is left of its arguments for the true one."""
    rest, keywords = list(args), dict(kwargs)
    other = keywords.pop("other", None)
    if rest and isinstance(rest[0], Tensor):
        other = rest.pop(0)
    if other is not None:
        device: Any = device_of(other)
        return device, (other.dtype, *rest), keywords
    named = keywords.pop("device", None)
    if rest and (rest[0] is None or _names_a_device(rest[0])):
        named = rest.pop(0)
        if rest and not isinstance(rest[0], (torch.dtype, type(None))):
            # to(device, non_blocking, copy) without a dtype is no overload of torch either.
            rest.insert(0, None)
    if rest and rest[0] is None:
        rest.pop(0)
        keywords.update(zip(("non_blocking", "copy"), rest))
        rest = []
    if not rest and set(keywords) <= {"non_blocking"}:
        keywords = {}
    if keywords.get("dtype", 0) is None:
        keywords.pop("dtype")
    return None if named is None else machine.device(named), tuple(rest), keywords


def _names_a_device(value: Any) -> bool:
    return isinstance(value, (torch.device, str)) or (isinstance(value, int) and not isinstance(value, bool))
