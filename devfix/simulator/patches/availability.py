"""Availability: what torch says of the accelerators there are."""

from __future__ import annotations

from typing import Any

import torch

from ..machine import Machine
from ..patching import Patcher


def install(patcher: Patcher, machine: Machine) -> None:
    """Let torch see the machine's accelerators and no others."""
    cuda = machine.kind == "cuda"
    patcher.set(torch.cuda, "is_available", lambda: cuda)
    patcher.set(torch.cuda, "device_count", lambda: machine.count if cuda else 0)
    patcher.set(torch.cuda, "_lazy_init", _nothing)


def _nothing(*_args: Any, **_kwargs: Any) -> None:
    """Do nothing: there is no driver to start."""
