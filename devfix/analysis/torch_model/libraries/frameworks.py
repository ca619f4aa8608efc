"""Frameworks that own devices: Accelerate, HF Trainer, Lightning and their kin."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import ACCELERATOR
from devfix.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Const,
    DeviceValue,
    External,
    Obj,
    Ref,
    Tensor,
    TupleValue,
    Union,
    Value,
)
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.devices import autocast, choices, dispatching
from devfix.analysis.torch_model.libraries import (
    generation,
    hf_trainer,
    lightning,
    lightning_methods,
    lightning_runs,
    movables,
    tokenizers,
    told_precisions,
)
from devfix.analysis.torch_model.loading import collation, framework_moves
from devfix.analysis.torch_model.python import standard_library
from devfix.analysis.torch_model.tensors import moves
from devfix.analysis.torch_model.training import saved_tensors

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
#: What gives what all processes have of a tensor, of some rank, where each has its own.
_GATHERING = frozenset({"all_gather", "all_reduce", "reduce"})
#: Methods that prepare a single thing, and are told after that, or by a keyword, whether it is moved.
_SINGLE = frozenset({"prepare_model", "prepare_data_loader", "setup_module"})
_PLACEMENT = {ACCELERATE: "device_placement", FABRIC: "move_to_device"}
#: Methods of Fabric and Lightning's Trainer under which tensors and modules are made where they choose.
PLACING_MANAGERS = frozenset({"init_tensor", "init_module"})


#: What such a framework calls the halves, and by which arguments it leaves them to others, or is told more of them.
_PRECISIONS = {"fp16": "float16", "bf16": "bfloat16"}
_REPLACING = ("_plugin", "_plugins", "_handlers")
#: The facts of a framework that it may have the models it prepares compute in another dtype, and whether it moves them.
_LOWERING, _PLACING = "lowering", "placing"


def accelerator(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``accelerate.Accelerator()``; nothing is known of one that stays on the CPU."""
    if site.value(None, "cpu") == TRUE:
        return UNKNOWN
    told = told_precisions.told(site.value(None, "mixed_precision") or NONE)
    facts: dict[str, Value] = {} if told == Const("no") else {_LOWERING: Const(_mode(told, site))}
    placing = site.value(0, _PLACEMENT[ACCELERATE])
    facts = facts if placing is None else {**facts, _PLACING: placing}
    return interp.new(Obj("external", External(ACCELERATE), facts=facts))


def _mode(told: Value, site: CallSite) -> str:
    """The precision in which such a framework runs ``forward``; who does not tell it may do so as the program is launched."""
    if told == NONE:
        return autocast.PERHAPS
    known = _PRECISIONS.get(str(told.value)) if isinstance(told, Const) else None
    others = site.open or any(name.endswith(_REPLACING) for name in site.keywords)
    return "?" if known is None or others else known


def fabric(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``lightning.Fabric()``; in any other precision than the full one it casts what its models are given, or the models."""
    if site.value(0, "accelerator") == Const("cpu"):
        return UNKNOWN
    told = told_precisions.told(site.value(4, "precision") or NONE)
    facts = {} if told in lightning.FULL_PRECISION else {_LOWERING: UNKNOWN}
    return interp.new(Obj("external", External(FABRIC), facts=facts))


def attribute(interp: Interpreter, ref: Ref, obj: Obj, name: str) -> Value | None:
    """Data attributes of framework objects."""
    if obj.cls in _PREPARING and name == "device":
        return DeviceValue(ACCELERATOR)
    return hf_trainer.attribute(interp, obj, name)


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value | None:
    """Methods of framework objects; None when the object belongs to no framework."""
    if obj.cls in _PREPARING:
        if name in _PREPARE:
            return _prepare(interp, obj, name, site)
        if name in _PASSING:
            return site.args[0].value if site.args else UNKNOWN
        if name in _GATHERING:
            return collation.each_tensor(interp, site.args[0].value, _gathered) if site.args else UNKNOWN
        if name == "autocast" and not site.args and not site.keywords:
            return _block(interp, obj)
        if name == "to_device" and site.args:
            return _placed(interp, site.args[0].value, site)
        if name == "save":
            saved_tensors.note(interp, site.value(int(obj.cls == External(FABRIC)), "obj", "state"))
        return UNKNOWN
    if obj.cls == External(lightning_runs.TRAINER):
        return lightning.method(interp, ref, obj, name, site)
    of_lightning = lightning_methods.call(interp, ref, name, site)
    return of_lightning or hf_trainer.method(interp, ref, obj, name, site)


def _block(interp: Interpreter, obj: Obj) -> Value:
    """``accelerator.autocast()``, which has the precision of what is prepared; with the full one it changes nothing."""
    if obj.cls != External(ACCELERATE):
        return UNKNOWN
    lowering = obj.facts.get(_LOWERING)
    if lowering is None:
        return standard_library.idle_manager(interp)
    precision = str(lowering.value) if isinstance(lowering, Const) else "?"
    return choices.block_of_autocast(interp, precision) if precision in autocast.HALVES else UNKNOWN


def _gathered(tensor: Tensor) -> Tensor:
    return replace(tensor, rank=None, leaf=None, parameter=False)


def _placed(interp: Interpreter, value: Value, site: CallSite) -> Value:
    """A module, or a batch, on the accelerator."""
    if isinstance(value, Ref) and modules.is_module(interp, value):
        return moves.module(interp, value, "to", CallSite(site.node, (Arg(DeviceValue(ACCELERATOR)),)))
    return framework_moves.move(interp, value, FABRIC, site.node)


def _prepare(interp: Interpreter, obj: Obj, name: str, site: CallSite) -> Value:
    """What each argument comes back as; one of those that prepare a single thing, or the only one, by itself."""
    args = site.args[:1] if name in _SINGLE else site.args
    told = site.value(1 if name in _SINGLE else None, _PLACEMENT[getattr(obj.cls, "name", "")])
    each = iteration.exact_items(interp, told) if told not in (None, NONE) and name == "prepare" else None
    common = obj.facts.get(_PLACING, TRUE) if told in (None, NONE) else told
    values = []
    for number, arg in enumerate(args):
        where = each[number] if each is not None and number < len(each) else common
        values.append(_prepared(interp, obj, arg.value, TRUE if where in (None, NONE) else where, site))
    return values[0] if len(values) == 1 else TupleValue(tuple(values))


def _prepared(interp: Interpreter, obj: Obj, value: Value, placing: Value, site: CallSite) -> Value:
    """Models are moved, loaders come back as others that move their batches, the rest as it is."""
    if isinstance(value, Union):
        usual = value.members.index(value.usual) if value.usual in value.members else None
        found = tuple(_prepared(interp, obj, member, placing, site) for member in value.members)
        return Union(found, found[usual] if usual is not None else None)
    if isinstance(value, Ref) and modules.is_module(interp, value):
        if dispatching.FACT in interp.obj(value).facts:
            return value  # what was placed as it was loaded stays where it is, and nobody minds
        if placing == TRUE:
            where = CallSite(site.node, (Arg(DeviceValue(ACCELERATOR)),))
            moves.module(interp, value, "to", where)
        elif placing != FALSE:
            modules.havoc(interp, value)
        _lower(interp, value, obj.facts.get(_LOWERING))
    elif isinstance(value, Ref) and interp.obj(value).kind == "loader":
        moved = interp.obj(value).with_fact("moved", Const(getattr(obj.cls, "name", "")))
        return value if placing == FALSE else interp.new(moved) if placing == TRUE else UNKNOWN
    return value


def _lower(interp: Interpreter, module: Ref, lowering: Value | None) -> None:
    """A prepared model computes in the precision of its framework, and is of another dtype itself where that is not known."""
    if lowering == UNKNOWN:
        modules.transform(interp, module, lambda own: replace(own, dtype=None))
    elif lowering is not None:
        interp.update(module, interp.obj(module).with_fact(autocast.WRAPPED, lowering))


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    ACCELERATE: accelerator,
    FABRIC: fabric,
    lightning_runs.TRAINER: lightning.trainer,
    **dict.fromkeys(generation.LISTS, generation.listed),
    movables.BATCH: tokenizers.batch,
    **dict.fromkeys(hf_trainer.ARGUMENTS, hf_trainer.arguments),
    **dict.fromkeys(hf_trainer.TRAINERS, hf_trainer.trainer),
}
