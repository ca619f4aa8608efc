"""torchvision's detectors: lists of images and of dicts in, losses or lists of findings out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.lattice import AT_LEAST_1, Device
from devfix.analysis.domain.values import (
    TRUE,
    UNKNOWN,
    Const,
    Obj,
    Sequence,
    Tensor,
    TupleValue,
    Union,
    Value,
    without_none,
)
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.devices import grad_mode
from devfix.analysis.torch_model.loading import batches
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

PACKAGE = "torchvision.models.detection"
#: What a detector computes with; other entries of a target, an ``image_id`` say, may be anywhere.
_READ = ("boxes", "labels", "masks", "keypoints")


def _is_trained(obj: Obj) -> Value:
    return obj.facts.get("training", TRUE)


def parts(interp: Interpreter, obj: Obj, site: CallSite) -> list[Part]:
    """The operands of ``model(images, targets)``; targets count while the model is trained."""
    found = list(_of(interp, "images", _argument(site, 0, "images")))
    if _is_trained(obj) == TRUE:
        found.extend(_of(interp, "targets", _argument(site, 1, "targets")))
    return found


def _argument(site: CallSite, position: int, name: str) -> Arg | None:
    return site.args[position] if len(site.args) > position else site.keywords.get(name)


def _of(interp: Interpreter, role: str, arg: Arg | None) -> Iterator[Part]:
    if arg is None:
        return
    for tensor in _leaves(interp, without_none(arg.value), role):
        yield Part(tensor, role, arg.node)


def _leaves(interp: Interpreter, value: Value, role: str) -> list[Tensor]:
    """The tensors that count among images, or in the dicts of targets."""
    if role == "images":
        return batches.leaves(interp, value)
    if isinstance(value, (TupleValue, Sequence)):
        items = value.items if isinstance(value, TupleValue) else (value.element,)
        return [leaf for item in items for leaf in _leaves(interp, item, role)]
    if isinstance(value, Union):
        return _of_any(interp, value)
    obj = interp.obj_of(value)
    if obj is None:
        return []
    kept = (
        [obj.attrs[key] for key in _READ if key in obj.attrs] if obj.kind == "dict" else [*(obj.items or ())]
    )
    kept.extend([obj.element] if obj.element is not None else [])
    if obj.kind == "dict":
        return [part for part in kept if isinstance(part, Tensor)]
    return [leaf for part in kept for leaf in _leaves(interp, part, role)]


def _of_any(interp: Interpreter, value: Union) -> list[Tensor]:
    """What counts of either of several dicts of targets: what is known of an entry whichever it is."""
    dicts = [obj for member in value.members if (obj := interp.obj_of(member)) and obj.kind == "dict"]
    if len(dicts) != len(value.members):
        return []
    either = (join_all([obj.attrs.get(key, UNKNOWN) for obj in dicts]) for key in _READ)
    return [part for part in either if isinstance(part, Tensor)]


def output(interp: Interpreter, obj: Obj, device: Device, site: CallSite) -> Value:
    """A dict of losses in training, a list of dicts of boxes, labels and scores after ``eval()``."""
    trail, grad = (interp.site("result", site.node),), grad_mode.recorded(interp, True)
    trained = _is_trained(obj)
    if trained == TRUE:
        loss = Tensor(device, "float32", 0, grad=grad, leaf=grad_mode.is_leaf(grad), trail=trail)
        return interp.new(Obj("dict", element=loss))
    if trained != Const(False):
        return UNKNOWN
    found = Tensor(device, None, AT_LEAST_1, grad=grad, leaf=grad_mode.is_leaf(grad), trail=trail)
    return interp.new(Obj("list", element=interp.new(Obj("dict", element=found))))
