"""Lightning: the Trainer moves the module and every batch, and calls the steps and the hooks around them."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import ACCELERATOR, CPU
from devfix.analysis.domain.values import (
    FALSE,
    NONE,
    UNKNOWN,
    Class,
    Const,
    DeviceValue,
    External,
    Obj,
    Ref,
    Scalar,
    Tensor,
    Union,
    Value,
    members,
)
from devfix.analysis.language import containers, iteration
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.record.recorder import Binding
from devfix.analysis.torch_model.devices import autocast, grad_mode
from devfix.analysis.torch_model.libraries import told_precisions
from devfix.analysis.torch_model.libraries.lightning_runs import TRAINER, Run
from devfix.analysis.torch_model.loading import collation
from devfix.analysis.torch_model.tensors import moves

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_DATA = "lightning.LightningDataModule"
#: The fact of the module that a Trainer has run, which it takes where it is given none.
_LAST = "model"
#: Options that keep it from looking at a few batches of the validation before it trains; what it is told where it is not.
_CHECKS = {"num_sanity_val_steps": 2, "fast_dev_run": False, "limit_val_batches": 1.0}
#: Options of the first releases, which left a module on the accelerator, and one by which it may end up anywhere.
_LEFT_THERE = ("gpus", "tpu_cores", "num_processes", "distributed_backend", "auto_select_gpus")
_STRATEGY = "strategy"
#: Strategies that end by bringing the module back to the CPU, as that of one device does.
_BRINGING_BACK = (NONE, Const("auto"), Const("ddp"), Const("ddp_find_unused_parameters_true"), Const("dp"))
_TOLD = ("accelerator", "callbacks", "precision", _STRATEGY, *_LEFT_THERE, *_CHECKS)
#: Precisions in which a Trainer leaves everything as it is, and those in which it casts what each operation takes.
FULL_PRECISION = (NONE, Const(32), Const("32"), Const("32-true"))
_MIXED: dict[Value, str] = {
    **dict.fromkeys((Const(16), Const("16"), Const("16-mixed")), "float16"),
    **dict.fromkeys((Const("bf16"), Const("bf16-mixed")), "bfloat16"),
}
_UNSURE, _HOST = "unsure", "cpu"
#: What a callback that writes predictions is told of each batch.
_PREDICTING, _WRITE = "predict_step", "write_on_batch_end"


@dataclass(frozen=True, slots=True)
class _Phase:
    """Which step a Trainer calls, which loader feeds it, and how the hooks around it are called.

    Order of the hooks: the Lightning documentation, "Hooks". Those after the module may have been moved back are left out.
    """

    loader: str
    step: str
    hooks: str

    @property
    def before(self) -> tuple[str, ...]:
        """Hooks that come before the first batch."""
        return f"on_{self.hooks}_start", f"on_{self.hooks}_epoch_start"

    @property
    def after(self) -> tuple[str, ...]:
        """Hooks that come after the last batch."""
        return f"on_{self.hooks}_epoch_end", f"on_{self.hooks}_end"


_TRAIN = _Phase("train_dataloader", "training_step", "train")
_VALIDATE = _Phase("val_dataloader", "validation_step", "validation")
#: What a Trainer's method goes through, one within the other.
_PHASES = {
    "fit": (_TRAIN, _VALIDATE),
    "validate": (_VALIDATE,),
    "test": (_Phase("test_dataloader", "test_step", "test"),),
    "predict": (_Phase("predict_dataloader", _PREDICTING, "predict"),),
}


def trainer(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``Trainer(accelerator=..., devices=...)``."""
    facts = {key: arg.value for key, arg in site.keywords.items() if key in _TOLD}
    if site.open or site.spread:
        facts[_UNSURE] = Const(True)
    return interp.new(Obj("external", External(TRAINER), facts=facts))


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``trainer.fit(model, loaders)`` and its kin, of a model that may be one of several."""
    model = site.value(0, "model") or obj.facts.get(_LAST)
    if name not in _PHASES or not isinstance(model, (Ref, Union)):
        return UNKNOWN
    interp.update(ref, obj.with_fact(_LAST, model))
    if isinstance(model, Ref):
        return _run(interp, ref, model, name, site)
    return interp.either(model.members, lambda each: _run(interp, ref, each, name, site))


def _run(interp: Interpreter, ref: Ref, model: Value, name: str, site: CallSite) -> Value:
    """What such a method does, which ends by bringing the model back to the CPU."""
    if not isinstance(model, Ref):
        return UNKNOWN
    run = Run(interp, ref, model, _data_module(interp, site), site)
    for maker in (run.data, model):
        if maker is not None:
            run.call(maker, "prepare_data", [])
    if run.data is not None:
        run.call(run.data, "setup", [Const(name)])
    run.hook("setup", Const(name))
    run.call(model, "configure_model", [])
    _place(run)
    made = _begin_fit(run) if name == "fit" else _run_phases(run, _PHASES[name], NONE)
    if not run.is_on_host:
        modules.havoc(interp, model)
        _take_back(run)
    return made if name == "predict" else UNKNOWN


def _data_module(interp: Interpreter, site: CallSite) -> Ref | None:
    """The data module that a Trainer is given, by its name or in the place of the loaders."""
    for given in (site.value(None, "datamodule"), site.value(1, "train_dataloaders", "dataloaders")):
        obj = interp.obj_of(given)
        if isinstance(given, Ref) and obj is not None and isinstance(obj.cls, Class):
            if _DATA in modules.external_bases(interp, obj.cls) or given == site.value(None, "datamodule"):
                return given
    return None


def _place(run: Run) -> None:
    """Bring the module to where it is trained, in the precision that is asked for."""
    interp, model = run.interp, run.model
    if modules.is_module(interp, model) and not run.is_on_host:
        where = CallSite(run.site.node, (Arg(DeviceValue(ACCELERATOR)),))
        moves.module(interp, model, "to", where)
        _note_device(interp, model)
    if told_precisions.told(run.option("precision")) not in (*FULL_PRECISION, *_MIXED):
        modules.transform(interp, model, lambda tensor: replace(tensor, dtype=None, typed=()))


def _take_back(run: Run) -> None:
    """Where the module is in the end is known of releases and strategies that bring it back to the CPU: "moving model to CPU"."""
    brings_back = run.option(_STRATEGY) in _BRINGING_BACK and run.option(_UNSURE) == NONE
    if brings_back and all(run.option(name) == NONE for name in _LEFT_THERE):
        if modules.is_module(run.interp, run.model):
            moves.module(run.interp, run.model, _HOST, CallSite(run.site.node))


def _note_device(interp: Interpreter, model: Ref) -> None:
    """In the hooks of a LightningModule ``self.device`` is where the Trainer has put it."""
    cls = interp.obj(model).cls
    for part in classes.linearise(cls) if isinstance(cls, Class) else ():
        interp.recorder.bind(part.path, part.scope, "self.device", Binding("device", ACCELERATOR, None))


def _begin_fit(run: Run) -> Value:
    """Training; before it come the optimizers and, as a rule, a few batches of the validation."""
    optimizer = _first(run.interp, run.call(run.model, "configure_optimizers", []))
    run.hook("on_fit_start")
    if all(run.option(name) in (NONE, Const(told)) for name, told in _CHECKS.items()):
        if run.option(_UNSURE) == NONE and run.site.value(4, "ckpt_path") in (None, NONE):
            run.hook("on_sanity_check_start")
            _run_phases(run, (_VALIDATE,), NONE, 2)
            run.hook("on_sanity_check_end")
    return _run_phases(run, _PHASES["fit"], optimizer)


def _first(interp: Interpreter, made: Value) -> Value:
    """The optimizer among what ``configure_optimizers`` returns, or the first of them."""
    obj = interp.obj_of(made)
    if obj is not None and obj.kind == "dict":
        return obj.attrs.get("optimizer", UNKNOWN)
    items = iteration.exact_items(interp, made) if obj is None or obj.kind == "list" else None
    return _first(interp, items[0]) if items else made


def _loaders(run: Run, phase: _Phase, position: int) -> list[Value]:
    """The loaders that are given, or that the data module (or the module itself) makes."""
    interp, site = run.interp, run.site
    given = site.value(position, f"{phase.loader}s", phase.loader, "dataloaders")
    for maker in (run.data, given, run.model):
        obj = interp.obj_of(maker)
        made: Value = NONE
        if obj is not None and obj.kind in ("loader", "list"):
            made = maker or NONE
        elif isinstance(maker, Ref) and obj is not None and isinstance(obj.cls, Class):
            made = run.call(maker, phase.loader, [])
        if made != NONE:
            return [each for value in members(made) for each in _apart(interp, phase, value)]
    return []


def _apart(interp: Interpreter, phase: _Phase, value: Value) -> list[Value]:
    """Several loaders take turns, unless it is for training, whose steps get a batch of each."""
    obj = interp.obj_of(value)
    return (
        containers.everything(obj)
        if obj is not None and obj.kind == "list" and phase is not _TRAIN
        else [value]
    )


def _run_phases(run: Run, phases: tuple[_Phase, ...], optimizer: Value, position: int = 1) -> Value:
    """The first of these phases; those after it come within it, as validation does within each epoch of training."""
    if not phases or run.finds(run.model, phases[0].step) is None:
        return UNKNOWN
    phase, *within = phases
    with nullcontext() if phase is _TRAIN else grad_mode.unrecorded(run.interp):
        return _run_phase(run, phase, tuple(within), optimizer, position)


def _run_phase(run: Run, phase: _Phase, within: tuple[_Phase, ...], optimizer: Value, position: int) -> Value:
    """A phase with each of its loaders, and what comes within it."""
    made: Value = UNKNOWN
    loaders = _loaders(run, phase, position)
    for loader in loaders:
        obj = run.interp.obj_of(loader)
        is_known = obj is not None and obj.kind == "loader"
        if is_known:
            made = _run_steps(run, phase, loader, optimizer)
        _run_phases(run, within, optimizer, position + 1)
        for hook in phase.after if is_known else ():
            run.hook(hook)
    return made if len(loaders) == 1 else UNKNOWN


def _run_steps(run: Run, phase: _Phase, loader: Value, optimizer: Value) -> Value:
    """One step of a phase, and the hooks before and after it; the answers to it as ``predict`` returns them."""
    interp, number = run.interp, Scalar("int")
    for hook in phase.before:
        run.hook(hook)
    batch = run.batch(loader)
    run.hook(f"on_{phase.hooks}_batch_start", batch, number, number)
    mixed = _MIXED.get(told_precisions.told(run.option("precision")))
    is_sure = not run.is_on_host and run.option(_STRATEGY) in _BRINGING_BACK
    with autocast.within(interp, mixed if is_sure or mixed is None else "?"):  # hooks are not
        outputs = run.call(run.model, phase.step, [batch, number, number])
    if phase is _TRAIN:
        _learn(run, outputs, optimizer)
        if isinstance(outputs, Tensor):
            loss = replace(outputs, grad=False, leaf=True)
            outputs = interp.new(Obj("dict", attrs={"loss": loss}))
    run.hook(f"on_{phase.hooks}_batch_end", outputs, batch, number, number)
    if phase.step == _PREDICTING:
        run.hook(_WRITE, outputs, UNKNOWN, batch, number, number)
    fetched = collation.placed(interp, outputs, CPU)
    return interp.new(Obj("list", element=fetched)) if fetched != NONE else UNKNOWN


def _learn(run: Run, loss: Value, optimizer: Value) -> None:
    """The hooks around the gradients and the step of the optimizer, which a module may take into its own hands."""
    manual = run.interp.obj(run.model).attrs.get("automatic_optimization") == FALSE
    if not manual:
        run.hook("on_before_zero_grad", optimizer)
    run.hook("on_before_backward", loss)
    run.hook("on_after_backward")
    run.hook("on_before_optimizer_step", optimizer)
    if not manual:
        number = Scalar("int")
        run.call(run.model, "optimizer_step", [number, number, optimizer, UNKNOWN])
