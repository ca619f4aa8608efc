"""Lightning: the Trainer moves the module and every batch, and calls the steps."""

from __future__ import annotations

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
    Value,
    members,
)
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.record.recorder import Binding
from devfix.analysis.torch_model.tensors import moves

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

TRAINER = "lightning.Trainer"
#: Which step a Trainer's method calls, and which loaders feed it.
_PHASES = {
    "fit": (("train_dataloader", "training_step"), ("val_dataloader", "validation_step")),
    "validate": (("val_dataloader", "validation_step"),),
    "test": (("test_dataloader", "test_step"),),
    "predict": (("predict_dataloader", "predict_step"),),
}


def trainer(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``Trainer(accelerator=..., devices=...)``."""
    facts = {key: arg.value for key, arg in site.keywords.items() if key == "accelerator"}
    return interp.new(Obj("external", External(TRAINER), facts=facts))


def method(interp: Interpreter, obj: Obj, name: str, site: CallSite) -> Value:
    """``trainer.fit(model, loaders)`` and its kin; afterwards nobody knows where the model is, unless it stays on the CPU."""
    model = site.value(0, "model")
    if name not in _PHASES or not isinstance(model, Ref):
        return UNKNOWN
    on_host = obj.facts.get("accelerator") == Const("cpu")
    if modules.is_module(interp, model) and not on_host:
        where = CallSite(site.node, (Arg(DeviceValue(ACCELERATOR)),))
        moves.module(interp, model, "to", where)
        _note_device(interp, model)
    for position, (source, step) in enumerate(_PHASES[name], start=1):
        for loader in members(_loader(interp, model, source, position, site)):
            _run_step(interp, model, step, loader if on_host else _owned(interp, loader), site)
    if not on_host:
        modules.havoc(interp, model)
    return UNKNOWN


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


def _run_step(interp: Interpreter, model: Ref, step: str, loader: Value, site: CallSite) -> None:
    obj = interp.obj_of(loader)
    if obj is not None and obj.kind == "loader":
        batch = iteration.element(interp, loader, site.node)
        _call(interp, model, step, [batch, Scalar("int")], site)


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
