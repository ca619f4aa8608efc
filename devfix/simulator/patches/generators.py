"""Generators and seeds: ``torch.Generator``, the default generators of devices, and their states."""

from __future__ import annotations

import functools
from typing import Any

import torch
import torch.mps

from ..claims import device_of
from ..generators import DefaultGenerator, Generator, check, check_state, own
from ..machine import Machine
from ..patching import Patcher


def install(patcher: Patcher, machine: Machine) -> None:
    """Let generators claim the machine's devices."""
    patcher.set(torch, "Generator", Generator)
    for module in (torch, torch.random):
        patcher.wrap(module, "set_rng_state", _checking)
    for name in ("poisson", "binomial"):
        patcher.wrap(torch, name, lambda original: _drawing(machine, original))
    with machine.asleep():
        defaults = tuple(DefaultGenerator(device) for device in machine.devices)
    for kind in ("cuda", "xpu"):
        patcher.set(getattr(torch, kind), "default_generators", defaults if machine.kind == kind else ())
    if machine.kind == "mps":
        patcher.set(torch._C, "_mps_get_default_generator", lambda: defaults[0])
        patcher.set(torch.mps, "_default_mps_generator", None)


def _checking(original: Any) -> Any:
    @functools.wraps(original)
    def set_rng_state(new_state: Any, *args: Any, **kwargs: Any) -> None:
        check_state(new_state)
        original(new_state, *args, **kwargs)

    return set_rng_state


def _drawing(machine: Machine, original: Any) -> Any:
    """An operator that takes its generator by position, where the dispatch mode does not look for it."""

    @functools.wraps(original)
    def draw(*args: Any, generator: Any = None) -> Any:
        if generator is None:
            return original(*args)
        check(machine, generator, device_of(args[0]))
        return original(*args, generator=own(generator))

    return draw
