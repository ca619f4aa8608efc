"""A simulated accelerator: true numbers on the CPU, device mistakes as a GPU reports them.

Tensors stay ordinary CPU tensors; the device each one claims to be on is a tag on its storage. Every
operation is checked as the accelerator would check it. This package needs the standard library and torch
alone, and imports nothing of devfix, since it runs in the interpreter of the program it watches.
"""

from .machine import Machine
from .simulation import simulated_accelerator

__all__ = ["Machine", "simulated_accelerator"]
