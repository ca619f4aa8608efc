"""Lightning: the Trainer moves the module and every batch, and calls the steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import ACCELERATOR
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Class,
    Const,
    DeviceValue,
    External,
    Function,
    Obj,
    Ref,
    Scalar,
    Tensor,
    Value,
    members,
)
from devfix.analysis.language import containers, iteration
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.record.recorder import Binding
from devfix.analysis.torch_model.devices import autocast
from devfix.analysis.torch_model.tensors import moves

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

TRAINER = "lightning.Trainer"
_TOLD = ("accelerator", "callbacks", "precision")
#: Precisions in which a Trainer leaves everything as it is, and those in which it casts what each operation takes.
_FULL = (NONE, Const(32), Const("32"), Const("32-true"))
_MIXED = (Const(16), Const("16"), Const("16-mixed"), Const("bf16"), Const("bf16-mixed"))


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
    "predict": (_Phase("predict_dataloader", "predict_step", "predict"),),
}


def trainer(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``Trainer(accelerator=..., devices=...)``."""
    facts = {key: arg.value for key, arg in site.keywords.items() if key in _TOLD}
    return interp.new(Obj("external", External(TRAINER), facts=facts))


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``trainer.fit(model, loaders)`` and its kin; afterwards nobody knows where the model is, unless it stays on the CPU."""
    model = site.value(0, "model")
    if name not in _PHASES or not isinstance(model, Ref):
        return UNKNOWN
    on_host = _stays_on_host(obj)
    _run_hook(interp, ref, model, "setup", [Const(name)], site)
    _call(interp, model, "configure_model", [], site)
    if modules.is_module(interp, model) and not on_host:
        where = CallSite(site.node, (Arg(DeviceValue(ACCELERATOR)),))
        moves.module(interp, model, "to", where)
        _note_device(interp, model)
    precision = obj.facts.get("precision", NONE)
    if precision not in (*_FULL, *_MIXED):
        modules.transform(interp, model, lambda tensor: replace(tensor, dtype=None, typed=()))
    if name == "fit":
        _run_hook(interp, ref, model, "on_fit_start", [], site)
    _run_phases(interp, ref, model, _PHASES[name], 1, site)
    if not on_host:
        modules.havoc(interp, model)
    return UNKNOWN


def _stays_on_host(trainer: Obj) -> bool:
    return trainer.facts.get("accelerator") == Const("cpu")


def _note_device(interp: Interpreter, model: Ref) -> None:
    """In the hooks of a LightningModule ``self.device`` is where the Trainer has put it."""
    cls = interp.obj(model).cls
    for part in classes.linearise(cls) if isinstance(cls, Class) else ():
        interp.recorder.bind(part.path, part.scope, "self.device", Binding("device", ACCELERATOR, None))


def _loader(interp: Interpreter, model: Ref, source: str, position: int, site: CallSite) -> Value:
    """The loader that is given, or that the data module (or the module itself) makes."""
    given = site.value(position, f"{source}s", source, "dataloaders")
    makers = [site.value(None, "datamodule"), given, model]
    for maker in makers:
        obj = interp.obj_of(maker)
        if obj is not None and obj.kind == "loader":
            return maker or UNKNOWN
        if isinstance(maker, Ref) and obj is not None and isinstance(obj.cls, Class):
            if maker != model:
                _call(interp, maker, "setup", [Const("fit")], site)
            made = _call(interp, maker, source, [], site)
            if made != NONE:
                return made
    return UNKNOWN


def _run_phases(
    interp: Interpreter, trainer: Ref, model: Ref, phases: tuple[_Phase, ...], position: int, site: CallSite
) -> None:
    """The first of these phases; those after it come within it, as validation does within each epoch of training."""
    if not phases:
        return
    phase, *within = phases
    for given in members(_loader(interp, model, phase.loader, position, site)):
        loader = given if _stays_on_host(interp.obj(trainer)) else _owned(interp, given)
        obj = interp.obj_of(loader)
        is_known = obj is not None and obj.kind == "loader"
        if is_known:
            _run_steps(interp, trainer, model, phase, loader, site)
        _run_phases(interp, trainer, model, tuple(within), position + 1, site)
        for hook in phase.after if is_known else ():
            _run_hook(interp, trainer, model, hook, [], site)


def _run_steps(
    interp: Interpreter, trainer: Ref, model: Ref, phase: _Phase, loader: Value, site: CallSite
) -> None:
    """One step of a phase, and the hooks before and after it of the callbacks and of the module."""
    for hook in phase.before:
        _run_hook(interp, trainer, model, hook, [], site)
    batch = iteration.element(interp, loader, site.node)
    given = [batch, Scalar("int")]
    _run_hook(interp, trainer, model, f"on_{phase.hooks}_batch_start", given, site)
    precision = interp.obj(trainer).facts.get("precision")
    with autocast.within(interp, "?" if precision in _MIXED else None):  # hooks are not
        outputs = _call(interp, model, phase.step, given, site)
    if phase is _TRAIN and isinstance(outputs, Tensor):
        loss = replace(outputs, grad=False, leaf=True)
        outputs = interp.new(Obj("dict", attrs={"loss": loss}))
    _run_hook(interp, trainer, model, f"on_{phase.hooks}_batch_end", [outputs, *given], site)


def _run_hook(
    interp: Interpreter, trainer: Ref, model: Ref, name: str, args: list[Value], site: CallSite
) -> None:
    """A hook of each callback, which is told of both, and then the module's own."""
    callbacks = interp.obj(trainer).facts.get("callbacks", NONE)
    held = interp.obj_of(callbacks)
    each = containers.everything(held) if held is not None and held.kind == "list" else [callbacks]
    for callback in each:
        if isinstance(callback, Ref):
            _call(interp, callback, name, [trainer, model, *args], site)
    _call(interp, model, name, args, site)


def _owned(interp: Interpreter, loader: Value) -> Value:
    """The loader that the Trainer makes of one: it moves its batches."""
    obj = interp.obj_of(loader)
    if obj is None or obj.kind != "loader":
        return loader
    return interp.new(replace(obj, facts={**obj.facts, "moved": Const(TRAINER)}))


def _call(interp: Interpreter, receiver: Ref, name: str, args: list[Value], site: CallSite) -> Value:
    """A hook of the project; None where there is no such hook."""
    obj = interp.obj(receiver)
    found = classes.find(interp, obj.cls, name) if isinstance(obj.cls, Class) else None
    if not isinstance(found, Function):
        return NONE
    taken = len(found.node.args.args) - 1
    return interp.call_function(found, [receiver, *args[:taken]], site.node)
