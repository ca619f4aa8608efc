"""``torch.optim.swa_utils``: a copy of a model, whose parameters are averaged over those of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.frames import CallSite
from devfix.analysis.torch_model import optim, standard_library
from devfix.analysis.values import NONE, UNKNOWN, External, Obj, Ref, Value

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
        interp.recorder.converted = True  # the batches stay where the loader has them
    return UNKNOWN


def _average(interp: Interpreter, site: CallSite) -> Value:
    """``AveragedModel(model)``: the copy is where the model is now."""
    model = site.value(0, "model")
    if not isinstance(model, Ref):
        return UNKNOWN
    copy = standard_library.copied(interp, model, site)
    trail = (interp.site("module", site.node),)
    return interp.new(Obj("module", CLASS, attrs={"module": copy}, trail=trail))
