"""Frameworks that own devices: Accelerate, HF Trainer, Lightning and their kin."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import ACCELERATOR
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Const,
    DeviceValue,
    External,
    Obj,
    Ref,
    TupleValue,
    Union,
    Value,
)
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.devices import dispatching
from devfix.analysis.torch_model.libraries import generation, hf_trainer, lightning, movables, tokenizers
from devfix.analysis.torch_model.loading import collation
from devfix.analysis.torch_model.tensors import moves

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

ACCELERATE = "accelerate.Accelerator"
FABRIC = "lightning.Fabric"
_PREPARING = (External(ACCELERATE), External(FABRIC))
_PREPARE = frozenset(
    "prepare prepare_model prepare_data_loader setup setup_module setup_dataloaders setup_optimizers".split()
)
#: What returns its first argument, or a loader that does what that one does.
_PASSING = frozenset({"unwrap_model", "gather", "gather_for_metrics", "skip_first_batches"})
#: Methods of Fabric and Lightning's Trainer under which tensors and modules are made where they choose.
PLACING_MANAGERS = frozenset({"init_tensor", "init_module"})


#: The fact of an Accelerator that it has the models it prepares compute in another dtype.
_MIXED = "mixed precision"


def accelerator(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``accelerate.Accelerator()``."""
    mixed = site.value(None, "mixed_precision")
    facts = {_MIXED: mixed} if mixed is not None and mixed not in (NONE, Const("no")) else {}
    return interp.new(Obj("external", External(ACCELERATE), facts=facts))


def fabric(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``lightning.Fabric()``."""
    if site.value(0, "accelerator") == Const("cpu"):
        return UNKNOWN
    return interp.new(Obj("external", External(FABRIC)))


def attribute(interp: Interpreter, ref: Ref, obj: Obj, name: str) -> Value | None:
    """Data attributes of framework objects."""
    if obj.cls in _PREPARING and name == "device":
        return DeviceValue(ACCELERATOR)
    return hf_trainer.attribute(interp, obj, name)


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value | None:
    """Methods of framework objects; None when the object belongs to no framework."""
    if obj.cls in _PREPARING:
        if name in _PREPARE:
            return _prepare(interp, obj, site)
        if name in _PASSING:
            return site.args[0].value if site.args else UNKNOWN
        if name == "to_device" and site.args and not isinstance(site.args[0].value, Ref):
            return collation.placed(interp, site.args[0].value, ACCELERATOR)
        return UNKNOWN
    if obj.cls == External(lightning.TRAINER):
        return lightning.method(interp, ref, obj, name, site)
    return hf_trainer.method(interp, ref, obj, name, site)


def _prepare(interp: Interpreter, obj: Obj, site: CallSite) -> Value:
    """What each argument comes back as."""
    values = tuple(_prepared(interp, obj, arg.value, site) for arg in site.args)
    return values[0] if len(values) == 1 else TupleValue(values)


def _prepared(interp: Interpreter, obj: Obj, value: Value, site: CallSite) -> Value:
    """Models are moved, loaders come back as others that move their batches, the rest as it is."""
    if isinstance(value, Union):
        usual = value.members.index(value.usual) if value.usual in value.members else None
        found = tuple(_prepared(interp, obj, member, site) for member in value.members)
        return Union(found, found[usual] if usual is not None else None)
    if isinstance(value, Ref) and modules.is_module(interp, value):
        if dispatching.FACT in interp.obj(value).facts:
            return value  # what was placed as it was loaded stays where it is, and nobody minds
        where = CallSite(site.node, (Arg(DeviceValue(ACCELERATOR)),))
        moves.module(interp, value, "to", where)
        if _MIXED in obj.facts:
            modules.transform(interp, value, lambda own: replace(own, dtype=None))
    elif isinstance(value, Ref) and interp.obj(value).kind == "loader":
        return interp.new(interp.obj(value).with_fact("moved", Const(getattr(obj.cls, "name", ""))))
    return value


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    ACCELERATE: accelerator,
    FABRIC: fabric,
    lightning.TRAINER: lightning.trainer,
    **dict.fromkeys(generation.LISTS, generation.listed),
    movables.BATCH: tokenizers.batch,
    **dict.fromkeys(hf_trainer.ARGUMENTS, hf_trainer.arguments),
    **dict.fromkeys(hf_trainer.TRAINERS, hf_trainer.trainer),
}
