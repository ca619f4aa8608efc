"""``torch.optim.swa_utils``: a copy of a model, whose parameters are averaged over those of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import UNKNOWN_DEVICE
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    External,
    Obj,
    Ref,
    Tensor,
    TupleValue,
    Union,
    Value,
    members,
    without_none,
)
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.modules import weights
from devfix.analysis.torch_model.python import attribute_checks, copies
from devfix.analysis.torch_model.tensors import moves, requirements
from devfix.analysis.torch_model.tensors.requirements import Part
from devfix.analysis.torch_model.training import optim

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

PACKAGE = "torch.optim.swa_utils"
CLASS = External(f"{PACKAGE}.AveragedModel")


def call(interp: Interpreter, name: str, site: CallSite) -> Value:
    """What is made by ``torch.optim.swa_utils.name(...)``."""
    if name == "AveragedModel":
        return _average(interp, site)
    if name == "SWALR":
        return optim.scheduler(interp, name, site)
    if name == "update_bn" and site.value(2, "device") in (None, NONE):
        _check_batches(interp, site)
    return UNKNOWN


def _check_batches(interp: Interpreter, site: CallSite) -> None:
    """``update_bn(loader, model)`` without a device runs the model on the batches where the loader has them.

    With one it asks them for ``to``, so what has no such method is for the model to be judged, and for nobody to be told.
    """
    loader, model = site.get(0, "loader"), site.get(1, "model")
    if loader is None or model is None or (found := _with_place(interp, model.value)) is None:
        return
    ref, place = found
    given = _given(interp, iteration.element(interp, loader.value, None))
    if attribute_checks.has(interp, given, "to") is False:
        interp.call(model.value, CallSite(site.node, (Arg(given, loader.node),)))
        return
    tensor = given if isinstance(given, Tensor) else Tensor(UNKNOWN_DEVICE)
    parts = [Part(tensor, "input", loader.node, held=True)]
    weight, detail = weights.operand(interp, ref, place, parts, model.node)
    if len(site.args) <= 2:
        detail = {**(detail or {}), "told": "device"}
    operation = f"{PACKAGE}.update_bn"
    requirements.meet(interp, site.node, operation, [*parts, weight], scalars=False, detail=detail)


def _given(interp: Interpreter, batch: Value) -> Value:
    """What the model is given of a batch: the first item of a list or tuple, and anything else as it is."""
    obj = interp.obj_of(batch)
    rows = isinstance(batch, (TupleValue, Union)) or (obj is not None and obj.kind == "list")
    items = iteration.exact_items(interp, batch) if rows else None
    return items[0] if items else batch


def _with_place(interp: Interpreter, value: Value) -> tuple[Ref, Tensor] | None:
    """A model and its first parameter; of several models that it may be, one, where all are on one device."""
    found: list[tuple[Ref, Tensor]] = []
    for member in members(without_none(value)):
        place = modules.first_parameter(interp, member) if isinstance(member, Ref) else None
        if not isinstance(member, Ref) or place is None or (found and place.device != found[0][1].device):
            return None
        found.append((member, place))
    return found[0] if found else None


def _average(interp: Interpreter, site: CallSite) -> Value:
    """``AveragedModel(model, device)``: the copy is where the model is now, or on the device that is named."""
    model, device = site.value(0, "model"), site.get(1, "device")
    if not isinstance(model, Ref):
        return UNKNOWN
    copy = copies.copied(interp, model, site)
    if device is not None and device.value != NONE and isinstance(copy, Ref):
        moves.module(interp, copy, "to", CallSite(site.node, (device,)))
    trail = (interp.site("module", site.node),)
    return interp.new(Obj("module", CLASS, attrs={"module": copy}, trail=trail))
