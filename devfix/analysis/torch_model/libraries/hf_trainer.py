"""The Trainer of transformers: it moves the model and every batch, and calls the project's own ``compute_loss``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.lattice import ACCELERATOR, AT_LEAST_1, CPU
from devfix.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Array,
    Class,
    DeviceValue,
    External,
    Function,
    Obj,
    Ref,
    Tensor,
    Value,
    members,
    without_none,
)
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.devices import autocast
from devfix.analysis.torch_model.loading import batches, collation, data
from devfix.analysis.torch_model.tensors import moves

if TYPE_CHECKING:
    import ast

    from devfix.analysis.interpreter import Interpreter

TRAINERS = ("transformers.Trainer", "transformers.Seq2SeqTrainer")
ARGUMENTS = ("transformers.TrainingArguments", "transformers.Seq2SeqTrainingArguments")
#: Arguments that keep a Trainer on the CPU, by their names in newer and in older releases.
_ON_HOST = ("use_cpu", "no_cuda")
#: Arguments that have it call the model, and ``compute_loss``, in another precision.
_PRECISIONS = ("fp16", "bf16", "fp16_full_eval", "bf16_full_eval")
#: What a Trainer is given and keeps under the same name, and where it stands among the arguments.
_KEPT = {
    "args": 1,
    "data_collator": 2,
    "train_dataset": 3,
    "eval_dataset": 4,
    "tokenizer": 5,
    "processing_class": 5,
}
#: What has a Trainer pad its samples as lists of numbers, where it is given no collator.
_PADDING = ("tokenizer", "processing_class")
#: What its own collator calls ``labels``, and what becomes of numbers there.
_LABELS = ("label", "label_ids")
_DTYPES = {"int": "int64", "float": "float32", "bool": "bool"}
#: Methods that call ``compute_loss``, and the dataset whose batches it is called with.
_COMPUTING = {"train": "train_dataset", "evaluate": "eval_dataset", "predict": "test_dataset"}


def arguments(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``TrainingArguments(...)``."""
    facts = {key: arg.value for key, arg in site.keywords.items()}
    return interp.new(Obj("external", External(ARGUMENTS[0]), facts=facts))


def trainer(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``Trainer(model=..., data_collator=..., train_dataset=...)``: it pins the batches and moves them.

    Facts: "HF Trainer: collate moves to cuda", "... dataset moves to cuda".
    """
    model = _prepared(interp, name, site)
    return interp.new(Obj("external", External(TRAINERS[0]), facts={"model": model}))


def initialise(interp: Interpreter, ref: Ref, name: str, site: CallSite) -> None:
    """``super().__init__(...)`` of the project's own Trainer."""
    model = without_none(_prepared(interp, name, site))
    obj = interp.obj(ref)
    for key, position in _KEPT.items():
        given = site.value(position, key)
        obj = obj.with_attr(key, given) if given is not None else obj
    # Where there is no model, ``model_init`` makes one.
    interp.update(ref, obj.with_attr("model", model) if model != NONE else obj)


def _prepared(interp: Interpreter, name: str, site: CallSite) -> Value:
    """The model that a Trainer is given, moved to where it trains."""
    args = site.value(1, "args")
    for role in ("train_dataset", "eval_dataset"):
        dataset = site.value(None, role)
        if dataset is not None:
            _check_batch(interp, name, site, dataset)
    model = site.value(0, "model") or UNKNOWN
    where = CallSite(site.node, (Arg(DeviceValue(ACCELERATOR)),))
    for each in members(model) if not _on_host(interp, args) else ():
        if isinstance(each, Ref) and modules.is_module(interp, each):
            moves.module(interp, each, "to", where)
    return model


def _on_host(interp: Interpreter, args: Value | None) -> bool:
    """Whether a Trainer is told to stay on the CPU."""
    options = interp.obj_of(args)
    return options is not None and _names_host(options)


def _names_host(options: Obj) -> bool:
    return any(options.facts.get(name) == TRUE for name in _ON_HOST)


def _check_batch(interp: Interpreter, name: str, site: CallSite, dataset: Value) -> None:
    options = interp.obj_of(site.value(1, "args"))
    if options is not None and options.facts.get("dataloader_pin_memory") == FALSE:
        return
    collator = site.value(2, "data_collator")
    made = data.assembled(interp, dataset, collator if collator is not None else NONE, site.node)
    batches.record(interp, site.node, name, "framework-pin", made, ())


def attribute(interp: Interpreter, obj: Obj, name: str) -> Value | None:
    """``trainer.model``, ``args.device``; None for all else."""
    if name == "model" and "model" in obj.facts:
        return obj.facts["model"]
    if obj.cls == External(ARGUMENTS[0]) and name == "device":
        return UNKNOWN if _names_host(obj) else DeviceValue(ACCELERATOR)
    return None


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value | None:
    """``trainer.train()`` and its kin; None where the object is no Trainer."""
    if isinstance(obj.cls, External):
        return UNKNOWN if obj.cls == External(TRAINERS[0]) else None
    if name in _COMPUTING and any(base in TRAINERS for base in modules.external_bases(interp, obj.cls)):
        _compute_loss(interp, ref, obj, _COMPUTING[name], site)
        return UNKNOWN
    return None


def _compute_loss(interp: Interpreter, ref: Ref, obj: Obj, role: str, site: CallSite) -> None:
    """The project's ``compute_loss(model, inputs)``, with a batch of its dataset beside the model."""
    model, cls = obj.attrs.get("model"), obj.cls
    found = classes.find(interp, cls, "compute_loss") if isinstance(cls, Class) else None
    if isinstance(found, Function) and isinstance(model, Ref) and not _on_host(interp, obj.attrs.get("args")):
        dataset = site.value(0, role) if role != "train_dataset" else None
        batch = _batch(interp, obj, dataset or obj.attrs.get(role), site.node)
        with autocast.within(interp, _precision(interp, obj.attrs.get("args"))):
            interp.call_function(found, [ref, model, batch], site.node)


def _precision(interp: Interpreter, args: Value | None) -> str | None:
    """That of autocast around a step: none where a Trainer is certainly not told of one."""
    options = interp.obj_of(args)
    if options is None:
        return None if args in (None, NONE) else "?"
    return "?" if any(options.facts.get(name, FALSE) != FALSE for name in _PRECISIONS) else None


def _batch(interp: Interpreter, obj: Obj, dataset: Value | None, node: ast.expr) -> Value:
    """The batch that ``compute_loss`` is given; of a dataset that nobody knows it has tensors under any name."""
    if dataset is not None:
        collator = obj.attrs.get("data_collator", NONE)
        if collator != NONE:
            made = data.assembled(interp, dataset, collator, node).value
        elif any(obj.attrs.get(name, NONE) != NONE for name in _PADDING):
            made = UNKNOWN
        else:
            made = _collated(interp, data.assembled(interp, dataset, NONE, node, alone=True).value, node)
        held = interp.obj_of(made)
        if held is not None and held.kind == "dict" and held.attrs:
            return collation.placed(interp, made, ACCELERATOR)
    return interp.new(Obj("dict", element=Tensor(ACCELERATOR, grad=False, leaf=True)))


def _collated(interp: Interpreter, sample: Value, node: ast.expr) -> Value:
    """What ``default_data_collator`` makes of samples, which is not what ``default_collate`` does.

    Texts and what is None are left out.
    """
    obj = interp.obj_of(sample)
    if obj is None or obj.kind != "dict" or obj.element is not None:
        return UNKNOWN
    attrs = {
        "labels" if key in _LABELS else key: _stacked(interp, key, without_none(value), node)
        for key, value in obj.attrs.items()
        if scalar_type(value) != "str" and value != NONE
    }
    return interp.new(Obj("dict", attrs=attrs))


def _stacked(interp: Interpreter, key: str, value: Value, node: ast.expr) -> Value:
    if isinstance(value, (Tensor, Array)) and key not in _LABELS:
        return collation.collate(interp, value, node)
    kind = scalar_type(value)
    if kind in _DTYPES:
        dtype = "int64" if kind == "bool" and key in _LABELS else _DTYPES[kind]
        return Tensor(CPU, dtype, 1, grad=False, leaf=True)
    return Tensor(CPU, None, AT_LEAST_1, grad=False, leaf=True)
