"""File parts: what a program that is adopted reads from files of which nobody knows what is in them.

What is computed with a tensor on the device, or given to a module, is meant to be a tensor there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import ACCELERATOR, UNKNOWN_DEVICE, same_as
from devfix.analysis.domain.values import Tensor, Unknown, Value
from devfix.analysis.record.trails import Trail
from devfix.analysis.torch_model.loading import batch_mates
from devfix.analysis.torch_model.training import checkpoint
from devfix.findings import Origin

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def life(interp: Interpreter, value: Value) -> Trail:
    """Where a file, or a part of one, was loaded without being told where to; nothing for any other value."""
    made = _loaded(interp, value)
    return (made,) if made is not None and made.kind == "checkpoint" else ()


def is_one(interp: Interpreter, value: Value) -> bool:
    """Whether a value is a file or a part of one, wherever it was loaded to."""
    return _loaded(interp, value) is not None


def _loaded(interp: Interpreter, value: Value) -> Origin | None:
    if not interp.program.adopts:
        return None
    if isinstance(value, Unknown):
        return interp.checkpoints.get(value.token)
    obj = interp.obj_of(value)
    return obj.trail[0] if obj is not None and obj.cls == checkpoint.LOADED else None


def as_tensor(interp: Interpreter, value: Value) -> Value:
    """A part of a file where only a tensor makes sense."""
    trail = life(interp, value)
    return Tensor(UNKNOWN_DEVICE, trail=trail) if trail else value


def tensor_of(interp: Interpreter, value: Value) -> Value:
    """What is certainly a tensor, as what a ``TensorDataset`` is made of, even where nothing else is known of it.

    What a program that is adopted reads for a data set stays where it is: the batches move.
    """
    if is_one(interp, value):
        return value
    obj = interp.obj_of(value)
    if obj is not None and obj.cls == checkpoint.LOADED:
        return checkpoint.location(interp, value) or value
    if not isinstance(value, Unknown):
        return value
    if checkpoint.is_brought(value):
        return Tensor(ACCELERATOR)
    known = value.token and value.token not in interp.checkpoints and not batch_mates.is_one(value)
    return Tensor(same_as(f"{value.token}.device") if known else UNKNOWN_DEVICE)


def item(interp: Interpreter, value: Value) -> Value | None:
    """``rows[3:]``, and what ``x, y = torch.load(path)`` gives a name: a part; None for an item of anything else."""
    if checkpoint.is_brought(value):
        return value
    made = _loaded(interp, value)
    return checkpoint.part(interp, made) if made is not None else None


def brought(interp: Interpreter, value: Value) -> Origin | None:
    """Where a file was loaded to the accelerator of which a value is a part; None for any other value."""
    return interp.checkpoints.get(value.token) if checkpoint.is_brought(value) else None
