"""Availability: which accelerators torch sees, what it was built for, and when one is initialised."""

from __future__ import annotations

from typing import Any

import torch

from ..machine import Machine
from ..patching import Patcher

#: What torch says where it was built for an accelerator (``version.py``); any plausible one will do where it was not.
_CUDA_VERSION = "12.6"
_XPU_VERSION = "20250301"


def install(patcher: Patcher, machine: Machine) -> None:
    """Let torch see the machine's accelerators and no others."""
    cuda, xpu, mps = (machine.kind == kind for kind in ("cuda", "xpu", "mps"))
    patcher.set(torch._C, "_has_cuda", cuda)
    patcher.set(torch._C, "_has_cudnn", cuda)
    patcher.set(torch._C, "_has_xpu", xpu)
    patcher.set(torch._C, "_has_mps", mps)
    patcher.set(torch._C, "_mps_is_available", lambda: mps)
    patcher.set(torch._C, "_mps_is_on_macos_or_newer", lambda *_version: mps)
    for name in ("is_available", "is_macos_or_newer", "is_macos13_or_newer", "get_name", "get_core_count"):
        # torch remembers what it was answered first.
        patcher.wrap(torch.backends.mps, name, lambda original: getattr(original, "__wrapped__", original))
    if hasattr(torch, "accelerator"):
        patcher.wrap(
            torch.accelerator,
            "get_device_capability",
            lambda original: getattr(original, "__wrapped__", original),
        )
    # torchvision refuses a torch of another CUDA than its own.
    patcher.set(torch.version, "cuda", (torch.version.cuda or _CUDA_VERSION) if cuda else None)
    patcher.set(torch.version, "hip", None)
    if hasattr(torch.version, "xpu"):
        patcher.set(torch.version, "xpu", (torch.version.xpu or _XPU_VERSION) if xpu else None)
    _devices_of(patcher, machine, torch.cuda, "cuda")
    _devices_of(patcher, machine, torch.xpu, "xpu")
    patcher.set(torch.cuda, "is_bf16_supported", lambda *_args, **_kwargs: cuda)


def _devices_of(patcher: Patcher, machine: Machine, package: Any, kind: str) -> None:
    """What ``torch.cuda`` or ``torch.xpu`` says of its devices, on a machine that may have another kind."""
    present = machine.kind == kind
    answers: dict[str, Any] = {
        "is_available": lambda: _asked(machine) if present else False,
        "device_count": lambda: machine.count if present else 0,
        "is_initialized": lambda: present and machine.initialised and not machine.forked,
        "_is_compiled": lambda: present,
        "_is_in_bad_fork": lambda: present and machine.forked,
        "_lazy_init": machine.touch if present else _refusal(kind),
        "_lazy_call": lambda call, **_kwargs: _call(machine, call) if present else None,
    }
    # Submodules such as torch.cuda.random hold some of them by name.
    for module in patcher.modules(package):
        for name in answers.keys() & vars(module).keys():
            patcher.set(module, name, answers[name])


def _asked(machine: Machine) -> bool:
    machine.ask()
    return machine.count > 0


def _refusal(kind: str) -> Any:
    def lazy_init() -> None:
        raise AssertionError(f"Torch not compiled with {kind.upper()} enabled")

    return lazy_init


def _call(machine: Machine, call: Any) -> None:
    """What waits for the accelerator's first use may as well be done now, without using it."""
    if not machine.forked:
        with machine.asleep():
            call()
