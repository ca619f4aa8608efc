"""One run of Lightning's Trainer: whose hooks it calls, and what becomes of a batch before a step gets it."""

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
    Function,
    Obj,
    Ref,
    Scalar,
    Value,
)
from devfix.analysis.language import containers, iteration
from devfix.analysis.torch_model.loading import framework_moves

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite

TRAINER = "lightning.Trainer"
_HOST = "cpu"
#: Hooks of a batch before it is moved, in place of the move, and after it; a data module's count, or else the module's.
_BEFORE, _TRANSFER, _AFTER = "on_before_batch_transfer", "transfer_batch_to_device", "on_after_batch_transfer"


def stays_on_host(trainer: Obj) -> bool:
    """Whether a Trainer is told to train on the CPU."""
    return trainer.facts.get("accelerator") == Const(_HOST)


@dataclass(frozen=True, slots=True)
class Run:
    """A Trainer, the module it is given, the data module, if there is one, and the call that told it to run."""

    interp: Interpreter
    trainer: Ref
    model: Ref
    data: Ref | None
    site: CallSite

    def option(self, name: str) -> Value:
        """What the Trainer was made with, or None."""
        return self.interp.obj(self.trainer).facts.get(name, NONE)

    @property
    def is_on_host(self) -> bool:
        """Whether everything stays on the CPU."""
        return stays_on_host(self.interp.obj(self.trainer))

    def finds(self, receiver: Ref, name: str) -> Function | None:
        """A method of the project's own; None where its class has none."""
        cls = self.interp.obj(receiver).cls
        found = classes.find(self.interp, cls, name) if isinstance(cls, Class) else None
        return found if isinstance(found, Function) else None

    def call(self, receiver: Ref, name: str, args: list[Value]) -> Value:
        """Call a method with as many of the arguments as it takes; None where there is no such method."""
        found = self.finds(receiver, name)
        if found is None:
            return NONE
        taken = len(found.node.args.args) - 1
        return self.interp.call_function(found, [receiver, *args[:taken]], self.site.node)

    def hook(self, name: str, *args: Value) -> None:
        """Call a hook of each callback, which is told of both, and then the module's own."""
        callbacks = self.option("callbacks")
        held = self.interp.obj_of(callbacks)
        each = containers.everything(held) if held is not None and held.kind == "list" else [callbacks]
        for callback in each:
            if isinstance(callback, Ref):
                self.call(callback, name, [self.trainer, self.model, *args])
        self.call(self.model, name, [*args])

    def batch(self, loader: Value) -> Value:
        """A batch of a loader as the steps get it: moved by the Trainer, or as the program's own hooks have it."""
        number = Scalar("int")
        before, transfer = self._owner(_BEFORE), self._owner(_TRANSFER)
        if before is None and transfer is None:
            batch = iteration.element(self.interp, self._owned(loader), self.site.node)
        else:
            batch = iteration.element(self.interp, loader, self.site.node)
            batch = self.call(before, _BEFORE, [batch, number]) if before is not None else batch
            if transfer is not None:
                where = UNKNOWN if self.is_on_host else DeviceValue(ACCELERATOR)
                batch = self.call(transfer, _TRANSFER, [batch, where, number])
            elif not self.is_on_host:
                batch = framework_moves.move(self.interp, batch, TRAINER, self.site.node)
        after = self._owner(_AFTER)
        return self.call(after, _AFTER, [batch, number]) if after is not None else batch

    def _owner(self, hook: str) -> Ref | None:
        """Whose hook of a batch is called: the data module's, where it has one, or else the module's."""
        each = (self.data, self.model)
        return next((ref for ref in each if ref is not None and self.finds(ref, hook) is not None), None)

    def _owned(self, loader: Value) -> Value:
        """The loader that the Trainer makes of one: it moves its batches."""
        obj = self.interp.obj_of(loader)
        if obj is None or self.is_on_host:
            return loader
        return self.interp.new(replace(obj, facts={**obj.facts, "moved": Const(TRAINER)}))
