"""Autocast: operators take their operands in the precision that the accelerator's autocast gives them.

torch's own kernels for the accelerator's autocast key are there in every build, but cast only tensors that truly are
on an accelerator. While a program has autocast on, they are replaced by kernels that ask for the claim; the
gradient formulas see the casts as they see them on a GPU. What comes out of a half-precision operator is the
CPU's result: it has the dtype that a GPU would give it, and may differ in the last digits.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Sequence
from typing import Any, Callable, Optional

import torch

from ..claims import claim_of
from ..dispatch import named_operands
from ..layer_rules import short_name
from ..machine import Machine
from ..patching import Patcher
from ..refusals import Refusal
from . import autocast_rules as rules

Tensor = torch.Tensor
_KEYS = {"cuda": "AutocastCUDA", "xpu": "AutocastXPU", "mps": "AutocastMPS"}
_true_to = torch._C.TensorBase.to


def install(patcher: Patcher, machine: Machine) -> None:
    """Make kernels for the accelerator's autocast when a program first turns it on."""
    key = _KEYS.get(machine.kind)
    if key is None or not hasattr(torch._C.DispatchKey, key):
        return
    casting = Casting(machine, key)
    switch = torch.set_autocast_enabled

    def set_autocast_enabled(*args: Any, **kwargs: Any) -> None:
        if _turns_on(machine.kind, args, kwargs):
            casting.start()
        switch(*args, **kwargs)

    def clear_autocast_cache() -> None:
        casting.cache.clear()
        forget()

    patcher.set(torch, "set_autocast_enabled", set_autocast_enabled)
    forget = patcher.set(torch, "clear_autocast_cache", clear_autocast_cache)
    patcher.finally_call(casting.stop)


def _turns_on(kind: str, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """Whether ``set_autocast_enabled(device_type, enabled)``, or its older form for CUDA, turns autocast on."""
    given = [*args, *kwargs.values()]
    device = next((value for value in given if isinstance(value, str)), "cuda")
    return device == kind and any(value is True for value in given)


class Casting:
    """The kernels, and the weights that were cast since the outermost autocast began."""

    def __init__(self, machine: Machine, key: str) -> None:
        self._machine = machine
        self._key = key
        self._without = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key))
        self._library: Any = None
        self.cache: dict[int, tuple[weakref.ref[Tensor], Tensor]] = {}

    def start(self) -> None:
        """Register the kernels, and let operators of this thread find them."""
        torch._C._dispatch_tls_set_dispatch_key_included(self._key, True)
        if self._library is not None:
            return
        self._library = torch.library.Library("aten", "IMPL")  # type: ignore[no-untyped-call]
        with warnings.catch_warnings():
            # It is the point that they override those of torch.
            warnings.simplefilter("ignore")
            for name, kernel in self._kernels().items():
                if torch._C._dispatch_has_kernel_for_dispatch_key(f"aten::{name}", self._key) or (
                    self._machine.kind == "cuda" and name in rules.ON_CUDA
                ):
                    self._library.impl(name, kernel, self._key)

    def stop(self) -> None:
        """Give torch its kernels back."""
        self.cache.clear()
        if self._library is not None:
            self._library._destroy()
            self._library = None
            torch._C._dispatch_tls_set_dispatch_key_included(self._key, False)

    def _kernels(self) -> dict[str, Callable[..., Any]]:
        found = {
            name: self._kernel(name, self._lower)
            for name in (*rules.LOWER, *rules.RECURRENT, rules.OF_SPARSE)
        }
        found.update((name, self._kernel(name, lambda _tensors: torch.float32)) for name in rules.FULL)
        found.update((name, self._kernel(name, self._widest)) for name in rules.WIDEST)
        found.update((name, self._full_result(name, name)) for name in rules.FULL_RESULT)
        found.update(
            (name, self._full_result(name, other)) for name, other in rules.FULL_RESULT_OVERLOADS.items()
        )
        found[rules.ADDED_UP] = self._kernel(rules.ADDED_UP, lambda _tensors: torch.float32)
        found[rules.ADDED_UP_BESIDE] = self._added_up_beside()
        found[rules.BANNED] = self._banned()
        return {name: kernel for name, kernel in found.items() if kernel is not None}

    def _kernel(
        self, name: str, dtype_for: Callable[[Sequence[Tensor]], torch.dtype]
    ) -> Optional[Callable[..., Any]]:
        """A kernel that casts every eligible operand to one dtype."""
        operator = _operator(name)
        if operator is None:
            return None

        def kernel(*args: Any, **kwargs: Any) -> Any:
            with torch._C._ExcludeDispatchKeyGuard(self._without):
                dtype = dtype_for(_tensors((*args, *kwargs.values())))
                return operator(
                    *(self._cast(value, dtype) for value in args),
                    **{key: self._cast(value, dtype) for key, value in kwargs.items()},
                )

        return kernel

    def _full_result(self, name: str, told: str) -> Optional[Callable[..., Any]]:
        """A kernel that asks for a float32 result unless the caller asked for a dtype."""
        operator, other = _operator(name), _operator(told)
        if operator is None or other is None:
            return None
        position = [argument.name for argument in other._schema.arguments].index("dtype")
        # What an overload may leave out, another may have to be told.
        defaults = [argument.default_value for argument in operator._schema.arguments]

        def kernel(*args: Any, **kwargs: Any) -> Any:
            with torch._C._ExcludeDispatchKeyGuard(self._without):
                first = args[0] if args else kwargs.get("self")
                if not (isinstance(first, Tensor) and self._eligible(first)):
                    return operator(*args, **kwargs)
                if other is not operator:
                    args = (*args, *defaults[len(args) : position])
                if len(args) > position:
                    if args[position] is not None:
                        return operator(*args, **kwargs)
                    return other(*args[:position], torch.float32, *args[position + 1 :], **kwargs)
                return other(*args, **{**kwargs, "dtype": kwargs.get("dtype") or torch.float32})

        return kernel

    def _banned(self) -> Callable[..., Any]:
        operator = _operator(rules.BANNED)
        assert operator is not None  # noqa: S101 - every torch has it

        def kernel(given: Tensor, *args: Any, **kwargs: Any) -> Any:
            there = [
                each for each in _tensors((given, *args, *kwargs.values())) if self._on_accelerator(each)
            ]
            if there:
                refusal = Refusal(rules.BANNED_TEXT, "narrow-float", blamed=(given,), wanted="float32")
                operands = named_operands(operator, (given, *args), kwargs)
                self._machine.refuse(refusal, f"aten::{rules.BANNED}", operands)
            with torch._C._ExcludeDispatchKeyGuard(self._without):
                if not there:
                    return operator(given, *args, **kwargs)
                wide = [self._cast(each, torch.float32) for each in (given, *args)]
                return operator(
                    *wide, **{name: self._cast(each, torch.float32) for name, each in kwargs.items()}
                )

        return kernel

    def _added_up_beside(self) -> Callable[..., Any]:
        operator = _operator(rules.ADDED_UP_BESIDE)

        def kernel(given: Tensor, *args: Any, **kwargs: Any) -> Any:
            if self._eligible(given) and given.dtype is not torch.float32:
                raise RuntimeError(f"Found dtype Float but expected {short_name(given.dtype)}")
            with torch._C._ExcludeDispatchKeyGuard(self._without):
                return operator(given, *args, **kwargs)

        return kernel

    def _lower(self, _tensors: Sequence[Tensor]) -> torch.dtype:
        return torch.get_autocast_dtype(self._machine.kind)

    def _widest(self, tensors: Sequence[Tensor]) -> torch.dtype:
        lower = self._lower(tensors)
        found = lower
        for tensor in filter(self._eligible, tensors):
            if tensor.dtype not in (torch.float32, lower):
                raise RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")
            found = torch.float32 if torch.float32 in (found, tensor.dtype) else found
        return found

    def _on_accelerator(self, tensor: Tensor) -> bool:
        claim = claim_of(tensor)
        # What C++ made without a word on where is made for its first user.
        return claim is not None and (claim.device is None or claim.device.type == self._machine.kind)

    def _eligible(self, tensor: Tensor) -> bool:
        return (
            tensor.is_floating_point() and tensor.dtype is not torch.float64 and self._on_accelerator(tensor)
        )

    def _cast(self, value: Any, dtype: torch.dtype) -> Any:
        if isinstance(value, Tensor):
            return self._cast_tensor(value, dtype)
        if isinstance(value, (list, tuple)) and any(isinstance(part, Tensor) for part in value):
            return [self._cast(part, dtype) for part in value]
        return value

    def _cast_tensor(self, tensor: Tensor, dtype: torch.dtype) -> Tensor:
        if tensor.dtype is dtype or not self._eligible(tensor):
            return tensor
        if not self._is_kept(tensor, dtype):
            return _true_to(tensor, dtype)
        known = self.cache.get(id(tensor))
        if known is not None and known[0]() is tensor:
            return known[1]
        cast = _true_to(tensor, dtype)
        self.cache[id(tensor)] = (weakref.ref(tensor), cast)
        return cast

    def _is_kept(self, tensor: Tensor, dtype: torch.dtype) -> bool:
        """Whether autocast remembers the cast of this tensor: of float32 weights in the lower precision."""
        return (
            dtype is self._lower(())
            and tensor.dtype is torch.float32
            and tensor.requires_grad
            and tensor.is_leaf
            and not tensor._is_view()
            and torch.is_autocast_cache_enabled()
        )


def _tensors(values: Sequence[Any]) -> list[Tensor]:
    found: list[Tensor] = []
    for value in values:
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found.extend(part for part in value if isinstance(part, Tensor))
    return found


def _operator(name: str) -> Any:
    """An operator by its name; None where this torch does not have it."""
    packet, _, overload = name.partition(".")
    found = getattr(torch.ops.aten, packet, None)
    return None if found is None else getattr(found, overload or "default", None)
