"""``torch.optim.swa_utils``: a copy of a model, whose parameters are averaged over those of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.frames import CallSite
from devfix.analysis.torch_model import standard_library
from devfix.analysis.values import UNKNOWN, External, Obj, Ref, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

CLASS = External("torch.optim.swa_utils.AveragedModel")


def construct(interp: Interpreter, site: CallSite) -> Value:
    """``AveragedModel(model)``: the copy is where the model is now."""
    model = site.value(0, "model")
    if not isinstance(model, Ref):
        return UNKNOWN
    copy = standard_library.copied(interp, model, site)
    trail = (interp.site("module", site.node),)
    return interp.new(Obj("module", CLASS, attrs={"module": copy}, trail=trail))
