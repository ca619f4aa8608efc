"""A simulated accelerator: true numbers on the CPU, device mistakes as a GPU reports them.

Tensors stay ordinary CPU tensors; the device each one claims to be on is a tag on its storage. Every
operation is checked as the accelerator would check it. This package needs the standard library and torch
alone, and imports nothing of devfix, since it runs in the interpreter of the program it watches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .machine import Machine
    from .simulation import simulated_accelerator

__all__ = ["Machine", "simulated_accelerator"]


def __getattr__(name: str) -> Any:
    # What a notebook's cells are made of is asked by the tool as well, which runs without torch.
    if name == "Machine":
        from .machine import Machine  # noqa: PLC0415 - as above

        return Machine
    if name == "simulated_accelerator":
        from .simulation import simulated_accelerator  # noqa: PLC0415 - as above

        return simulated_accelerator
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
