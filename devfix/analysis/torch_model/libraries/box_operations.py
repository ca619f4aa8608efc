"""``torchvision.ops``: functions of boxes, and losses over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import CPU, INTEGERS
from devfix.analysis.domain.values import NONE, UNKNOWN, Const, External, Obj, Tensor, Value, without_none
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.tensors import operations, requirements
from devfix.analysis.torch_model.tensors.requirements import Part
from devfix.records import frozen

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

PACKAGES = ("torchvision.ops", "torchvision.ops.boxes")


@frozen
class _Function:
    """What a function computes with, and what comes out: its dtype, if that is not the first operand's, and its rank.

    Those that are ``optional`` stand at some place.
    """

    operands: tuple[str, ...]
    rank: int | None
    dtype: str = ""
    loss: bool = False
    optional: tuple[tuple[int, str], ...] = ()


#: Cross entropy of truths, which have to be floats.
_FOCAL = "sigmoid_focal_loss"
_PAIR = ("boxes1", "boxes2")
_FUNCTIONS: dict[str, _Function] = {
    **dict.fromkeys(
        ("box_iou", "generalized_box_iou", "complete_box_iou", "distance_box_iou"), _Function(_PAIR, 2)
    ),
    **dict.fromkeys(
        ("generalized_box_iou_loss", "complete_box_iou_loss", "distance_box_iou_loss"),
        _Function(_PAIR, None, loss=True),
    ),
    _FOCAL: _Function(("inputs", "targets"), None, loss=True),
    # The classes that ``batched_nms`` is told are brought to the boxes.
    **dict.fromkeys(("nms", "batched_nms"), _Function(("boxes", "scores"), 1, "int64")),
    **dict.fromkeys(
        ("roi_align", "roi_pool", "ps_roi_align", "ps_roi_pool"), _Function(("input", "boxes"), 4)
    ),
    "deform_conv2d": _Function(("input", "offset", "weight"), 4, optional=((3, "bias"), (7, "mask"))),
    **dict.fromkeys(("box_convert", "clip_boxes_to_image"), _Function(("boxes",), 2)),
    "box_area": _Function(("boxes",), 1),
    "remove_small_boxes": _Function(("boxes",), 1, "int64"),
}

#: Those that multiply sizes, or take the middle of them.
_MEASURING = frozenset(name for name in _FUNCTIONS if "iou" in name) | {"box_area", "box_convert"}
#: Those that do not promote, unless autocast brings their operands together; ``nms`` is one on the CPU alone.
_OF_ONE_DTYPE = ("roi_align", "roi_pool", "ps_roi_align", "ps_roi_pool")


def call(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """What a function of boxes gives; None for what is not known here."""
    known = _FUNCTIONS.get(name)
    if known is None:
        return None
    parts: list[Part] = []
    for position, role in enumerate(known.operands):
        arg = site.get(position, role)
        value = without_none(arg.value) if arg is not None else UNKNOWN
        if not isinstance(value, Tensor) and role == "boxes":  # those of each picture, in a list
            value = iteration.element(interp, value, None)
        if arg is None or not isinstance(value, Tensor):
            return UNKNOWN
        parts.append(Part(value, role, arg.node))
    for place, role in known.optional:
        arg = site.get(place, role)
        if arg is not None and isinstance(tensor := without_none(arg.value), Tensor):
            parts.append(Part(tensor, role, arg.node))
    device = requirements.meet(interp, site.node, f"torchvision.ops.{name}", parts, scalars=False)
    if (name in _OF_ONE_DTYPE or (name == "nms" and device == CPU)) and interp.autocast is None:
        requirements.same_dtype(interp, site.node, f"torchvision.ops.{name}", parts, decisive=parts[0])
    if name == _FOCAL and parts[1].tensor.dtype in (*INTEGERS, "bool"):
        requirements.record(
            interp, site.node, f"torchvision.ops.{name}", "target-dtype", parts[1:], wanted="float32"
        )
    first = parts[0].tensor
    rank = known.rank
    if known.loss:
        told = site.value(None, "reduction")
        rank = None if told in (None, NONE, Const("none")) or not isinstance(told, Const) else 0
    dtype = known.dtype or (first.dtype if name not in _MEASURING else _measured(parts))
    return operations.derived(interp, [part.tensor for part in parts], site, dtype, rank, device)


def _measured(parts: list[Part]) -> str | None:
    """The dtype of areas and of what is made of them: halves are widened before, and integers in some of these."""
    dtypes = {part.tensor.dtype for part in parts}
    return dtypes.pop() if len(dtypes) == 1 and dtypes <= {"float32", "float64"} else None


#: Layers that apply one of these functions to what they are given.
_LAYERS = {
    "RoIAlign": "roi_align",
    "RoIPool": "roi_pool",
    "PSRoIAlign": "ps_roi_align",
    "PSRoIPool": "ps_roi_pool",
}
_SEVERAL = "MultiScaleRoIAlign"


def construct(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """``RoIAlign((7, 7), 1.0)``: a layer without weights; None for what is none."""
    package, _, last = name.rpartition(".")
    if not package.startswith(PACKAGES[0]) or last not in (*_LAYERS, _SEVERAL):
        return None
    return interp.new(
        Obj("module", External(f"{PACKAGES[0]}.{last}"), trail=(interp.site("module", site.node),))
    )


def applied(interp: Interpreter, obj: Obj, site: CallSite) -> Value | None:
    """What such a layer makes of what it is given; None for any other module."""
    package, _, last = (obj.cls.name if isinstance(obj.cls, External) else "").rpartition(".")
    if package != PACKAGES[0] or last not in (*_LAYERS, _SEVERAL):
        return None
    if last != _SEVERAL:
        return call(interp, _LAYERS[last], site)
    pictures = interp.obj_of(site.value(0, "x"))  # those of each scale, by name
    if pictures is None or pictures.kind != "dict" or not site.args:
        return UNKNOWN
    each = [*pictures.attrs.values(), *([pictures.element] if pictures.element is not None else [])]
    first = site.args[0]
    given = [replace(site, args=(first._replace(value=value), *site.args[1:])) for value in each]
    made = [call(interp, "roi_align", one) for one in given]
    return made[0] if made and made[0] is not None else UNKNOWN
