"""Legacy types: ``torch.FloatTensor``, ``torch.cuda.FloatTensor`` and the like, and ``Tensor.type``.

torch makes these type objects in C++ (torch/csrc/tensor/python_tensor.cpp). They are constructors, answers of
``isinstance``, arguments of ``type`` and default types at once, and know tensors by their true device alone.
"""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch.overrides import _get_current_function_mode_stack
from torch.utils._device import DeviceContext

from ..claims import CPU, Claim, Made, claim_of, device_of, lay
from ..events import Operand
from ..machine import Machine, active
from ..patching import Patcher
from ..places import user_spot
from ..refusals import Refusal
from .tensor_moves import move

Tensor = torch.Tensor
_SCALARS = "Float Double Half BFloat16 Byte Char Short Int Long Bool".split()
_true_type = Tensor.type
_true_to = torch._C.TensorBase.to


class LegacyType(type):
    """One of the legacy types: the kind of device and the dtype of its tensors."""

    real: Any
    kind: str

    @property
    def dtype(cls) -> torch.dtype:
        """The dtype of its tensors."""
        return cls.real.dtype  # type: ignore[no-any-return]

    @property
    def layout(cls) -> torch.layout:
        """The layout of its tensors, which is strided."""
        return cls.real.layout  # type: ignore[no-any-return]

    @property
    def is_cuda(cls) -> bool:
        """Whether it is one of ``torch.cuda``."""
        return cls.kind == "cuda"

    @property
    def is_sparse(cls) -> bool:
        """False: none of the sparse types is simulated."""
        return False

    def __instancecheck__(cls, instance: Any) -> bool:
        return (
            isinstance(instance, Tensor)
            and instance.dtype is cls.dtype
            and instance.layout is cls.layout
            and device_of(instance).type == cls.kind
        )

    def __call__(cls, *args: Any, device: Any = None, **kwargs: Any) -> Tensor:
        """Construct a tensor of the type."""
        target, name = cls.device(), f"{cls.__module__}.{cls.__name__}"
        if device is not None:
            target = checked_device(_machine(), target, device, name)
        first = args[0] if args else None
        if isinstance(first, Tensor) and not isinstance(first, cls):
            operand = Operand("data", first, claim_of(first), device_of(first))
            text = f"expected {name} (got {first.type()})"
            _machine().refuse(Refusal(text, "legacy-constructor", TypeError, (first,)), name, [operand])
            args = (_true_to(first, cls.dtype), *args[1:])
        return _placed(cls.real(*args, **kwargs), target, name)

    def device(cls) -> torch.device:
        """Where its tensors are; raises TypeError, as torch does, for a device that the machine lacks."""
        if cls.kind == "cpu":
            return CPU
        if _machine().kind != cls.kind:
            name = f"{cls.__module__}.{cls.__name__}"
            raise TypeError(f"type {name} not available. Torch not compiled with {cls.kind.upper()} enabled.")
        _machine().touch()
        return _machine().device(torch.device(cls.kind))

    def __getattr__(cls, name: str) -> Any:
        return getattr(cls.real, name)

    def __repr__(cls) -> str:
        return f"<class '{cls.__module__}.{cls.__name__}'>"


def checked_device(machine: Machine, own: torch.device, named: Any, by: str) -> torch.device:
    """Where a legacy constructor for ``own`` puts its tensor; another kind of device is refused.

    torch/csrc/utils/tensor_new.cpp.
    """
    device = machine.device(named)
    if device.type == own.type:
        return own
    text = f"legacy constructor expects device type: {own.type} but device type: {device.type} was passed"
    machine.refuse(Refusal(text, "legacy-constructor"), by)
    return device


def _machine() -> Machine:
    machine = active()
    if machine is None:
        raise RuntimeError("the accelerator of this legacy type is simulated no longer")
    return machine


def _placed(out: Tensor, device: torch.device, by: str) -> Tensor:
    claim = claim_of(out)
    if (CPU if claim is None else claim.device) is device and not _machine().origins:
        return out
    return lay(out, Claim(device, Made("factory", by, user_spot(3)) if _machine().origins else None))


def install(patcher: Patcher, machine: Machine) -> None:
    """Let legacy types, and what takes them, know the claims of tensors."""
    known: dict[str, LegacyType] = {}
    for scalar in _SCALARS:
        real = getattr(torch, f"{scalar}Tensor")
        for module, kind in ((torch, "cpu"), (torch.cuda, "cuda")):
            made = LegacyType(real.__name__, (), {"real": real, "kind": kind, "__module__": module.__name__})
            known[f"{module.__name__}.{real.__name__}"] = made
            patcher.set(module, real.__name__, made)
    if machine.heal:
        patcher.set(Tensor, "__new__", staticmethod(_constructing(machine, Tensor.__new__)))
    patcher.set(Tensor, "type", _typing(known))
    patcher.set(Tensor, "type_as", _type_as)
    default = _Default(patcher, machine, known)
    patcher.set(torch, "set_default_tensor_type", default.choose)
    if hasattr(torch, "get_default_device"):
        patcher.set(torch, "get_default_device", default.told)


def _constructing(machine: Machine, original: Any) -> Any:
    """``torch.Tensor(2, device="cuda")``, which is refused like the same with ``torch.FloatTensor``."""

    def __new__(cls: Any, *args: Any, device: Any = None, **kwargs: Any) -> Tensor:  # noqa: N807 - it is one
        made: Tensor = original(cls, *args, **kwargs)
        if device is not None:
            target = checked_device(machine, machine.default_type_device, device, "torch.Tensor")
            _placed(made, target, "torch.Tensor")
        return made

    return __new__


def _typing(known: dict[str, LegacyType]) -> Any:
    def type(self: Tensor, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:  # noqa: A001 - torch's name
        wanted = known.get(dtype) if isinstance(dtype, str) else dtype
        if dtype is None:
            return _name(self)
        if wanted is None and dtype.startswith("torch.cuda."):
            raise ValueError(f"invalid type: {dtype!r}")
        if isinstance(wanted, LegacyType):
            return move(_true_to(self, wanted.dtype), wanted.device(), "Tensor.type")
        return _true_type(self, dtype, *args, **kwargs)

    return type


def _name(tensor: Tensor) -> str:
    name: str = _true_type(tensor)
    kind = device_of(tensor).type
    if kind == "cpu" or f".{kind}." in name:
        # Under a default device torch asks this very function.
        return name
    return name.replace("torch.", f"torch.{kind}.", 1)


def _type_as(self: Tensor, other: Tensor) -> Tensor:
    return move(_true_to(self, other.dtype), device_of(other), "Tensor.type_as")


class _Default:
    """``torch.set_default_tensor_type``: for an accelerator's type, what factories make goes there."""

    def __init__(self, patcher: Patcher, machine: Machine, known: dict[str, LegacyType]) -> None:
        self._machine = machine
        self._known = known
        self._original = torch.set_default_tensor_type
        self._asked = getattr(torch, "get_default_device", None)
        #: The mode that takes factories to the accelerator; torch has none for its own default types.
        self._mode: Any = None
        self._before: Optional[torch.dtype] = None
        patcher.finally_call(self._forget)

    def choose(self, t: Any) -> None:
        """Make a type the default one."""
        wanted = self._known.get(t) if isinstance(t, str) else t
        if not isinstance(wanted, LegacyType):
            self._original(t)
            return
        device = wanted.device()
        if self._before is None:
            self._before = torch.get_default_dtype()
        self._original(wanted.real)
        was = self._machine.default_type_device
        self._machine.default_type_device = device
        if was is not CPU or device is not CPU:
            torch.set_default_device(None if device is CPU else device)
            self._mode = None if device is CPU else _innermost()

    def told(self) -> torch.device:
        """``torch.get_default_device``, which knows nothing of default types."""
        if self._mode is not None and _innermost() is self._mode:
            return torch.device("cpu")
        return self._asked()  # type: ignore[no-any-return,misc]

    def _forget(self) -> None:
        if self._before is not None:
            torch.set_default_dtype(self._before)
        if self._machine.default_type_device is not CPU:
            torch.set_default_device(None)


def _innermost() -> Any:
    """The mode that says where factories make tensors, if there is one."""
    modes = _get_current_function_mode_stack()  # type: ignore[no-untyped-call]
    return next((mode for mode in reversed(modes) if isinstance(mode, DeviceContext)), None)
