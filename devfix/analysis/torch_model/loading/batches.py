"""Batches: nested values that loaders yield, and what workers and pinning make of moved ones."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from devfix.analysis.deciding.answers import truth
from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import ACCELERATOR, CPU
from devfix.analysis.domain.values import (
    NONE,
    Class,
    Const,
    Function,
    Obj,
    Ref,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Value,
)
from devfix.analysis.torch_model.concurrency import forks
from devfix.analysis.torch_model.libraries import movables
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.requirements import Part
from devfix.findings import Origin
from devfix.records import frozen

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

LOADER = "torch.utils.data.DataLoader"
_MADE = ("factory", "random-factory")
_NAMED = ("name", "argument")


@frozen
class Batch:
    """What a loader (or a framework's own loader) yields, and which calls put it on a device.

    ``used`` is what certainly uses the accelerator while a batch is made, wherever the batch itself is.
    """

    value: Value
    in_dataset: list[Origin]
    in_collate: list[Origin]
    used: Origin | None = None


@contextmanager
def making(interp: Interpreter) -> Iterator[None]:
    """What is called while the block runs works on samples, in a worker that may have no accelerator."""
    outer, interp.makes_batch = interp.makes_batch, True
    try:
        yield
    finally:
        interp.makes_batch = outer


def note_made(interp: Interpreter, batch: Value) -> None:
    """Remark where the program's functions make what goes into a batch: there it is on the CPU, in a worker perhaps.

    And what it was called before, if it is on the CPU still.
    """
    parts = leaves(interp, batch)
    lives = (life for leaf in parts for life in (leaf.trail, *leaf.roots) if life)
    made = [life[0] for life in lives if life[0].kind in _MADE and life[0].scope]
    named = [site for leaf in parts if leaf.device == CPU for site in leaf.trail if site.kind in _NAMED]
    interp.recorder.remarked.update(replace(site, kind="sampled") for site in (*made, *named))


def leaves(interp: Interpreter, value: Value, around: tuple[Value, ...] = ()) -> list[Tensor]:
    """All tensors of a nested batch; those of one that holds itself, which has no end, are known where it stands first."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, Ref) and value in around:
        return []
    around = (*around, value)
    if isinstance(value, (TupleValue, Sequence)):
        items = value.items if isinstance(value, TupleValue) else (value.element,)
        return [leaf for item in items for leaf in leaves(interp, item, around)]
    obj = interp.obj_of(value)
    if obj is not None and (obj.kind in ("dict", "list") or movables.is_batch(interp, value)):
        parts = [*obj.attrs.values(), *(obj.items or ()), *([obj.element] if obj.element else [])]
        return [leaf for part in parts for leaf in leaves(interp, part, around)]
    if obj is not None and obj.kind == "instance":
        return [part for part in obj.attrs.values() if isinstance(part, Tensor)]
    return []


def _moved(interp: Interpreter, value: Value) -> list[Tensor]:
    """The tensors of a nested batch that are on the accelerator."""
    return [leaf for leaf in leaves(interp, value) if leaf.device.is_accelerator]


def form(interp: Interpreter, value: Value) -> str:
    """How the moved tensors of a batch are to be got at: ``tensor``, ``dict``, ``list``, ``object``.

    A tuple names its items: ``0:tensor,2:dict``. Empty when nothing in it is on the accelerator.
    """
    if not _moved(interp, value):
        return ""
    if isinstance(value, Tensor):
        return "tensor"
    obj = interp.obj_of(value)
    if movables.moves_itself(interp, value):
        return "object"
    items = value.items if isinstance(value, TupleValue) else obj.items if obj is not None else None
    if items is not None:
        inner = [(index, form(interp, item)) for index, item in enumerate(items)]
        return ",".join(f"{index}:{found}" for index, found in inner if found)
    if obj is not None and obj.kind == "instance" and isinstance(obj.cls, Class):
        movable = isinstance(classes.find(interp, obj.cls, "to"), Function)
        return "object" if movable else ""
    return "dict" if obj is not None and obj.kind == "dict" else "list"


def check(interp: Interpreter, obj: Obj, batch: Batch, node: ast.expr) -> None:
    """Facts: "Dataset moves to cuda, num_workers=2 (fork)", "... pin_memory=True"."""
    workers = has_workers(obj)
    if "moved" in obj.facts:
        # A framework moves these batches itself: the moves have no use, and workers cannot do them.
        if batch.in_dataset or batch.in_collate:
            if workers or truth(interp, obj.facts.get("pin_memory", NONE)):
                record(interp, node, owner(obj), "framework-pin", batch, obj.trail)
    elif workers and _moved(interp, batch.value):
        record(interp, node, LOADER, "worker", batch, obj.trail)
    elif workers:
        _check_inside(interp, obj, batch, node)
    elif truth(interp, obj.facts.get("pin_memory", NONE)):
        record(interp, node, LOADER, "pin", batch, obj.trail)
    elif batch.in_dataset or batch.in_collate:
        record(interp, node, LOADER, "worker", batch, obj.trail, legal="1")


def _check_inside(interp: Interpreter, obj: Obj, batch: Batch, node: ast.expr) -> None:
    """Fact: "Dataset moves to cuda, num_workers=2 (fork)"; that its samples come back to the CPU is no help.

    A process that has not used the accelerator may be forked, and one that is spawned begins anew.
    """
    forked = obj.facts.get("multiprocessing_context", NONE) in (NONE, Const("fork"))
    if batch.used is None or interp.state.used is None or not interp.is_script:
        return
    if not forked or forks.chooses_another(interp):
        return
    tensor = Tensor(ACCELERATOR, trail=(*obj.trail[:1], batch.used))
    part = Part(tensor, "batch", node)
    requirements.record(interp, node, LOADER, "worker", [part], where="inside", form="")


def owner(obj: Obj) -> str:
    """The framework that moves the batches of a loader."""
    name = obj.facts.get("moved")
    return str(name.value) if isinstance(name, Const) else LOADER


def has_workers(obj: Obj) -> bool:
    """Whether a loader has workers, as far as anyone can tell; an option has its default."""
    value = obj.facts.get("num_workers", NONE)
    number = value.value if isinstance(value, Const) else value.usual if isinstance(value, Scalar) else 0
    return isinstance(number, int) and number > 0


def _loads(moved: list[Tensor]) -> list[Origin]:
    """The calls that loaded some tensors from files, if all of them were."""
    born = [leaf.trail[0] for leaf in moved if leaf.trail]
    return born if len(born) == len(moved) and all(site.kind == "checkpoint" for site in born) else []


def record(
    interp: Interpreter,
    node: ast.expr,
    operation: str,
    kind: str,
    batch: Batch,
    loader: tuple[Origin, ...],
    **detail: str,
) -> None:
    """Write down that tensors of a batch are on the accelerator too early.

    The operand's trail is the loader's, its roots are the calls that put the tensors there, or that loaded all of them.
    """
    moved = _moved(interp, batch.value)
    if not moved:
        return
    where = "collate" if batch.in_collate else "dataset" if batch.in_dataset else "resident"
    sites = dict.fromkeys([*batch.in_dataset, *batch.in_collate] or _loads(moved))
    tensor = Tensor(moved[0].device, trail=loader[:1], roots=tuple((site,) for site in sites))
    detail |= {"where": where, "form": form(interp, batch.value)}
    requirements.record(interp, node, operation, kind, [Part(tensor, "batch", node)], **detail)
