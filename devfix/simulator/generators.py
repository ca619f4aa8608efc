"""Generators: sources of random numbers that claim a device, and the device of any generator.

All numbers come from the CPU. What a program draws on the simulated device without a generator of its own comes
from the CPU's default generator, exactly as it would on a machine without an accelerator; seeding the device
alone therefore changes no numbers. Its state is the state of the CPU's generator, so that saving and restoring
both at once, as checkpoints do, restores one thing twice.
"""

from __future__ import annotations

from typing import Any, Optional

import torch

from .claims import CPU, claim_of, device_of
from .events import Operand
from .machine import DeviceLike, Machine, active
from .refusals import Refusal

_RealGenerator: Any = torch._C.Generator
#: Devices that generators claim, by the address of the C++ object: operators see no other identity.
_claimed: dict[int, torch.device] = {}
_defaults: set[int] = set()


def device_of_generator(generator: Any) -> torch.device:
    """The device a generator claims to be on."""
    return _claimed.get(generator._cdata, CPU)


def is_default(generator: Any) -> bool:
    """Whether a generator stands for what a device draws from when nobody says otherwise."""
    return generator._cdata in _defaults


class _SeesReal(type(_RealGenerator)):  # type: ignore[misc]
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, _RealGenerator)


class Generator(_RealGenerator, metaclass=_SeesReal):  # type: ignore[misc]
    """``torch.Generator`` for any device of the machine; one for the CPU is as it always was."""

    def __new__(cls, device: DeviceLike = None) -> Any:  # noqa: D102
        named = torch.device("cpu" if device is None else device)
        machine = active()
        if machine is None or named.type in ("cpu", "meta"):
            return super().__new__(cls, device=named)
        if named.type != machine.kind:
            raise RuntimeError(
                f"Cannot get {named.type.upper()} generator without ATen_{named.type} library."
            )
        machine.work()
        made = super().__new__(cls, device="cpu")
        # It says what it was told: an H200 has neither given it a number nor looked whether that exists.
        _claimed[made._cdata] = named
        return made

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        pass

    # When the interpreter ends, the names of this module may be gone first.
    def __del__(self, claimed: Any = _claimed, defaults: Any = _defaults) -> None:
        claimed.pop(self._cdata, None)
        defaults.discard(self._cdata)

    @property
    def device(self) -> torch.device:
        """Where it claims to be."""
        return device_of_generator(self)

    def set_state(self, new_state: Any) -> Any:
        """Take a state over; one that is on an accelerator is refused, as torch refuses it."""
        check_state(new_state)
        return super().set_state(new_state)

    def clone_state(self) -> Any:
        """A generator that claims the same device and will draw the same numbers."""
        made = type(self)(self.device)
        made.set_state(self.get_state())
        return made

    def graphsafe_get_state(self) -> Any:
        """A copy: there are no graphs that could share a state."""
        return self.clone_state()

    def graphsafe_set_state(self, state: Any) -> Any:
        """Take the state of another generator over."""
        self.set_state(state.get_state())
        return self

    def __repr__(self) -> str:
        return f"<torch._C.Generator object at {id(self):#x}>"

    def __reduce__(self) -> Any:
        return Generator, (self.device,), self.get_state()

    def __setstate__(self, state: torch.Tensor) -> None:
        self.set_state(state)


Generator.__module__ = "torch"


class DefaultGenerator(Generator):
    """What the simulated device draws from by default: the CPU's own generator."""

    def __new__(cls, device: torch.device) -> Any:  # noqa: D102
        made = super().__new__(cls, device)
        _defaults.add(made._cdata)
        made.offset = 0
        made.seeded = torch.default_generator.initial_seed()
        return made

    def manual_seed(self, seed: int) -> Any:
        """Remember the seed; the CPU's numbers stay as they are."""
        self.seeded = int(seed)
        return self

    def seed(self) -> int:
        """Remember a seed that nobody knows yet."""
        self.seeded = _RealGenerator().seed()
        return self.seeded

    def initial_seed(self) -> int:
        """The seed that was remembered; at first that of the CPU's generator."""
        return self.seeded

    def get_state(self) -> torch.Tensor:
        """The state of the CPU's generator, which draws the numbers: a uint8 tensor on the CPU."""
        return torch.default_generator.get_state()

    def set_state(self, new_state: Any) -> Any:
        """Set the CPU's generator back to a state of its own; a state on an accelerator is refused, as torch refuses it."""
        check_state(new_state)
        if new_state.numel() == self.get_state().numel():
            torch.default_generator.set_state(new_state)
        # The state of a real accelerator's generator (16 bytes) says nothing about the CPU's.
        return self

    def get_offset(self) -> int:
        """The offset that was set, or 0: the CPU's generator has none."""
        return self.offset

    def set_offset(self, offset: int) -> Any:
        """Remember the offset; the numbers stay as they are."""
        self.offset = offset
        return self

    def graphsafe_get_state(self) -> Any:
        """The generator itself: there are no graphs that could share a state."""
        return self

    def graphsafe_set_state(self, _state: Any) -> Any:
        """Leave all as it is: the state is that of the CPU's generator."""
        return self


def check_state(state: Any) -> None:
    """Raise what torch raises for a state that is on an accelerator (aten/src/ATen/core/Generator.h)."""
    machine = active()
    if machine is not None and isinstance(state, torch.Tensor) and device_of(state) != CPU:
        operand = Operand("new_state", state, claim_of(state), device_of(state))
        refusal = Refusal("RNG state must be a torch.ByteTensor", "host-only", TypeError, (state,))
        machine.refuse(refusal, "set_state", [operand])


def check(machine: Machine, generator: Any, device: Optional[torch.device]) -> None:
    """Refuse a generator of another device than that of what is drawn (aten/src/ATen/Context.h)."""
    claimed = device_of_generator(generator)
    if device is not None and claimed.type != device.type:
        text = f"Expected a '{device.type}' device type for generator but found '{claimed.type}'"
        machine.refuse(Refusal(text, "generator"), "generator")


def own(generator: Optional[Any]) -> Optional[Any]:
    """The generator to hand to an operator on the CPU: None for the one that is used anyway."""
    return None if generator is None or is_default(generator) else generator
