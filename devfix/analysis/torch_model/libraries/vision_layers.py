"""What layers and models of torchvision and timm take as it is, and the dtype of what they make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import FLOATS
from devfix.analysis.domain.values import NONE, TRUE, Class, External, Obj, Ref, Tensor, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.libraries import detection
from devfix.analysis.torch_model.modules import hooks
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_OPERATIONS, _MODELS = "torchvision.ops", "torchvision.models."
#: Layers that have weights, and which of their arguments make other layers in them: the place and the name of each.
_ACTIVE = ((6, "norm_layer"), (7, "activation_layer"))
_MADE_OF: dict[str, tuple[tuple[int, str], ...]] = {
    "Conv2dNormActivation": _ACTIVE,
    "Conv3dNormActivation": _ACTIVE,
    "DeformConv2d": (),
    "FeaturePyramidNetwork": ((2, "extra_blocks"), (3, "norm_layer")),
    "MLP": ((2, "norm_layer"), (3, "activation_layer")),
    "SqueezeExcitation": ((2, "activation"), (3, "scale_activation")),
}
#: Those whose weights meet what they are given as it is.
_AS_GIVEN = frozenset(_MADE_OF) - {"DeformConv2d"}
#: The fact of a layer that makes what its weights make: none of those in it is the program's own.
_KEEPS = "keeps the dtype of its weights"


def is_layer(name: str) -> bool:
    """Whether a canonical name is that of a layer of torchvision with weights."""
    package, _, last = name.rpartition(".")
    return package.startswith(_OPERATIONS) and last in _MADE_OF


def initialise(interp: Interpreter, ref: Ref, name: str, site: CallSite, place: Tensor) -> None:
    """What an instance of a project's subclass of such a layer has: weights like ``place``."""
    obj = interp.obj(ref)
    interp.update(ref, replace(obj.with_facts(facts(name, site)), place=replace(place, trail=obj.trail)))


def facts(name: str, site: CallSite) -> dict[str, Value]:
    """What is known of a layer made by this call; nothing of what is none."""
    if not is_layer(name) or site.open:
        return {}
    given = [site.value(*argument) for argument in _MADE_OF[name.rpartition(".")[2]]]
    known = all(value in (None, NONE) or isinstance(value, External) for value in given)
    return {_KEEPS: TRUE} if known else {}


def taken(interp: Interpreter, obj: Obj, parts: list[Part]) -> list[Part]:
    """The operands that have to have the dtype of the weights; models may look numbers up, layers of torchvision do not."""
    layer, name = _layer(interp, obj), getattr(obj.cls, "name", "")
    own = _beside(interp, obj)
    if any(map(hooks.are_on, own)):
        return []
    if layer:
        return parts if layer.rpartition(".")[2] in _AS_GIVEN and not own else []
    if not _is_model(name) or any(isinstance(part.cls, Class) for part in own):
        return []
    return [part for part in parts if part.tensor.dtype in FLOATS]


def dtype(interp: Interpreter, ref: Ref, place: Tensor, parts: list[Part]) -> str | None:
    """The dtype of what one makes of operands that have the dtype of all its weights; None where that is not known."""
    obj = interp.obj(ref)
    if interp.autocast is not None or not parts or any(part.tensor.dtype != place.dtype for part in parts):
        return None
    own = _beside(interp, obj)
    if _layer(interp, obj):
        return place.dtype if _KEEPS in obj.facts and not own else None
    name = getattr(obj.cls, "name", "")
    held = [interp.obj(part) for part in modules.tree(interp, ref)]
    alike = all(tensor.dtype == place.dtype for each in held for _, tensor in modules.registered(each))
    strange = any(isinstance(each.cls, Class) for each in held) or any(map(hooks.are_on, own))
    return place.dtype if name.startswith(_MODELS) and _is_model(name) and alike and not strange else None


def _layer(interp: Interpreter, obj: Obj) -> str:
    """The layer of torchvision that an object is, or that its class descends from; empty where there is none."""
    return next(filter(is_layer, modules.external_bases(interp, obj.cls)), "")


def _is_model(name: str) -> bool:
    return name.startswith((_MODELS, "timm.")) and not name.startswith(detection.PACKAGE)


def _beside(interp: Interpreter, obj: Obj) -> list[Obj]:
    """The parts that a program gave such a layer, as its author would a sequence, or a model."""
    parts = (*obj.attrs.values(), *(obj.items or ()), obj.element)
    return [interp.obj(part) for part in parts if isinstance(part, Ref)]
