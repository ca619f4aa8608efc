"""Saved tensors: what goes from the CPU into a file stays there, for a tensor comes out of a file where it went in.

Who loads the file elsewhere may have no accelerator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import CPU
from devfix.analysis.domain.values import Value
from devfix.analysis.language import containers
from devfix.analysis.nn import modules, reach
from devfix.analysis.torch_model.loading import batches
from devfix.analysis.torch_model.modules import owners
from devfix.analysis.torch_model.tensors import host_memory

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def note(interp: Interpreter, value: Value | None) -> None:
    """Remember where the tensors of a file were made, if they are all on the CPU.

    Beside a module's state, or anything else from the accelerator, they ask for no more than the file does as it is.
    """
    if value is None or any(modules.is_module(interp, held) for held, _ in reach.objects(interp, value)):
        return
    found = batches.leaves(interp, value)
    if not any(map(owners.is_of_module, found)) and all(each.device == CPU for each in found):
        for each in found:
            host_memory.note_read(interp, each)


def holds_model(interp: Interpreter, value: Value) -> bool:
    """Whether a value is a module, or a list or dict with one."""
    obj = interp.obj_of(value)
    held = [value] if obj is None or obj.kind not in ("list", "dict") else containers.everything(obj)
    return any(modules.is_module(interp, each) for each in held)
