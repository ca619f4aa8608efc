"""Methods that modules and data modules have from Lightning."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import ACCELERATOR
from devfix.analysis.domain.values import UNKNOWN, DeviceValue, Ref, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.libraries import hyperparameters
from devfix.analysis.torch_model.loading import framework_moves

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

MODULE = "lightning.LightningModule"
_OWNERS = frozenset({MODULE, "lightning.LightningDataModule"})


def call(interp: Interpreter, ref: Ref, name: str, site: CallSite) -> Value | None:
    """What such a method of an object gives; None where it is none."""
    known = _METHODS.get(name)
    if known is None or _OWNERS.isdisjoint(modules.external_bases(interp, interp.obj(ref).cls)):
        return None
    return known(interp, ref, site)


def _transfer(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``super().transfer_batch_to_device(batch, device, number)``: as Lightning moves batches, where no hook does."""
    batch = site.value(0, "batch")
    if batch is None or site.value(1, "device") != DeviceValue(ACCELERATOR):
        return UNKNOWN
    return framework_moves.move(interp, batch, MODULE, site.node)


_METHODS: dict[str, Callable[[Interpreter, Ref, CallSite], Value]] = {
    "save_hyperparameters": hyperparameters.save,
    "transfer_batch_to_device": _transfer,
}
