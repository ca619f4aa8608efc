"""Models of torchvision that run another one as far as they need it, and return what its layers make, by name.

They hold the modules of the other, not copies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import UNKNOWN, External, Obj, Ref, Tensor, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn import modules

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_MAKERS = (
    "torchvision.models.feature_extraction.create_feature_extractor",
    "torchvision.models._utils.IntermediateLayerGetter",
)
_WHOLE = "model"


def makes(name: str) -> bool:
    """Whether a canonical name stands for what makes one."""
    return name in _MAKERS


def is_one(obj: Obj) -> bool:
    """Whether an object is one."""
    return isinstance(obj.cls, External) and makes(obj.cls.name)


def construct(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``create_feature_extractor(model, ...)``, ``IntermediateLayerGetter(model, ...)``."""
    model = site.value(0, "model")
    if not isinstance(model, Ref) or not modules.is_module(interp, model):
        return UNKNOWN
    trail = (interp.site("module", site.node),)
    return interp.new(Obj("module", External(name), attrs={_WHOLE: model}, trail=trail))


def call(interp: Interpreter, obj: Obj, site: CallSite) -> Value:
    """A dict of what the layers make: all of it is where the model is.

    The layers that come later are not run, so of a model in several places nobody knows what meets.
    """
    whole = obj.attrs[_WHOLE]
    device = modules.module_device(interp, whole)
    if device is None or not device.is_known:
        return UNKNOWN
    made = interp.call(whole, site)
    if not isinstance(made, Tensor):
        return UNKNOWN
    return interp.new(Obj("dict", element=replace(made, device=device, dtype=None, rank=None)))
