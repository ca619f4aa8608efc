"""The Trainer of transformers: it moves the model and every batch, and calls what the project has of its own."""

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
    DeviceValue,
    External,
    Obj,
    Ref,
    Tensor,
    Value,
    members,
    without_none,
)
from devfix.analysis.language import containers
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.devices import dispatching
from devfix.analysis.torch_model.libraries.hf_steps import MORE, Steps
from devfix.analysis.torch_model.loading import batches, collation, data
from devfix.analysis.torch_model.tensors import moves

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

TRAINERS: tuple[str, ...] = ("transformers.Trainer", "transformers.Seq2SeqTrainer")
ARGUMENTS: tuple[str, ...] = ("transformers.TrainingArguments", "transformers.Seq2SeqTrainingArguments")
#: The object by which a Trainer places things.
_ACCELERATOR = "accelerate.Accelerator"
#: Arguments that keep a Trainer on the CPU, by their names in newer and in older releases.
_ON_HOST = ("use_cpu", "no_cuda")
#: What a Trainer is given and keeps under the same name, and where it stands among the arguments.
_KEPT = {
    "args": 1,
    "data_collator": 2,
    "train_dataset": 3,
    "eval_dataset": 4,
    "tokenizer": 5,
    "processing_class": 5,
    "compute_loss_func": None,
    "compute_metrics": None,
    "callbacks": None,
    "preprocess_logits_for_metrics": None,
}


def arguments(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``TrainingArguments(...)``."""
    facts = {key: arg.value for key, arg in site.keywords.items()}
    if site.open:
        facts[MORE] = TRUE
    return interp.new(Obj("external", External(ARGUMENTS[0]), facts=facts))


def trainer(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``Trainer(model=..., data_collator=..., train_dataset=...)``: it pins the batches and moves them.

    Facts: "HF Trainer: collate moves to cuda", "... dataset moves to cuda".
    """
    ref = interp.new(Obj("external", External(TRAINERS[0])))
    initialise(interp, ref, name, site)
    return ref


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
        if not isinstance(each, Ref) or not modules.is_module(interp, each):
            continue
        # What was placed as it was loaded stays where it is.
        if dispatching.FACT not in interp.obj(each).facts:
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
    """``args.device``, ``trainer.accelerator``; None for all else."""
    if obj.cls == External(ARGUMENTS[0]) and name == "device":
        return UNKNOWN if _names_host(obj) else DeviceValue(ACCELERATOR)
    if name == "accelerator" and is_one(interp, obj) and not _on_host(interp, obj.attrs.get("args")):
        return interp.new(Obj("external", External(_ACCELERATOR)))
    return None


def is_one(interp: Interpreter, obj: Obj) -> bool:
    """Whether an object is a Trainer, of the library or of the project."""
    return any(base in TRAINERS for base in modules.external_bases(interp, obj.cls))


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value | None:
    """``trainer.train()`` and its kin; None where the object is no Trainer."""
    if not is_one(interp, obj):
        return None
    known = _METHODS.get(name)
    if known is None:
        return UNKNOWN if isinstance(obj.cls, External) else None
    if not isinstance(obj.attrs.get("model"), Ref) or _on_host(interp, obj.attrs.get("args")):
        return UNKNOWN
    return known(Steps(interp, ref, site), site)


def _train(steps: Steps, site: CallSite) -> Value:
    steps.train(steps.held("train_dataset"))
    return UNKNOWN


def _evaluate(steps: Steps, site: CallSite) -> Value:
    dataset = site.value(0, "eval_dataset")
    steps.evaluate(steps.held("eval_dataset") if dataset in (None, NONE) else dataset)
    return UNKNOWN


def _predict(steps: Steps, site: CallSite) -> Value:
    steps.evaluate(site.value(0, "test_dataset"), predicts=True)
    return UNKNOWN


def _loss(steps: Steps, site: CallSite) -> Value:
    """``super().compute_loss(model, inputs)``."""
    return steps.usual_loss(site.value(1, "inputs") or UNKNOWN, site.value(2, "return_outputs") or FALSE)


def _step(steps: Steps, site: CallSite) -> Value:
    """``super().training_step(model, inputs)``, which detaches the loss."""
    loss = steps.loss(steps.prepared(site.value(1, "inputs") or UNKNOWN), FALSE)
    return replace(loss, grad=False) if isinstance(loss, Tensor) else UNKNOWN


def _prediction(steps: Steps, site: CallSite) -> Value:
    """``super().prediction_step(model, inputs, prediction_loss_only)``."""
    return steps.prediction(steps.prepared(site.value(1, "inputs") or UNKNOWN))


def _prepare_inputs(steps: Steps, site: CallSite) -> Value:
    given = site.value(0, "inputs", "data")
    return UNKNOWN if given is None else collation.placed(steps.interp, given, ACCELERATOR)


def _add_callback(steps: Steps, site: CallSite) -> Value:
    held = steps.interp.obj_of(steps.held("callbacks"))
    before = containers.everything(held) if held is not None and held.kind == "list" else []
    listed = steps.interp.new(Obj("list", items=(*before, site.value(0, "callback") or UNKNOWN)))
    steps.interp.update(steps.trainer, steps.interp.obj(steps.trainer).with_attr("callbacks", listed))
    return NONE


_METHODS: dict[str, Callable[[Steps, CallSite], Value]] = {
    "train": _train,
    "evaluate": _evaluate,
    "predict": _predict,
    "compute_loss": _loss,
    "training_step": _step,
    "prediction_step": _prediction,
    "_prepare_inputs": _prepare_inputs,
    "_prepare_input": _prepare_inputs,
    "add_callback": _add_callback,
}
