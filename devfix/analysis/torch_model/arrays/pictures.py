"""Pictures: what OpenCV and Pillow read from files is bytes, and arithmetic makes wider numbers of those.

A picture of Pillow has the type that its mode has once ``convert`` named one; that of a file may be any.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import (
    UNKNOWN,
    Array,
    Const,
    External,
    Obj,
    Ref,
    Scalar,
    Sequence,
    TupleValue,
    Value,
)
from devfix.analysis.torch_model.arrays import picture_types
from devfix.analysis.torch_model.tensors import host_memory

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite

_OPEN = "PIL.Image.open"
#: The dtype of an array that is made of one, by its mode.
_MODES = {
    **dict.fromkeys("L P RGB RGBA RGBX CMYK YCbCr HSV LAB LA".split(), "uint8"),
    "1": "bool",
    "I": "int32",
    "F": "float32",
}
#: Methods that give a picture of the same mode.
_KEEPING = frozenset(
    "copy crop filter getchannel reduce resize rotate transform transpose effect_spread".split()
)
_NUMBERS = frozenset(("width", "height", "n_frames"))
_OTHERS = frozenset(("mode", "format", "info", "palette", "filename"))
#: How many axes what OpenCV reads has, by what it is told; with other flags it may be of other types.
_FLAGS: dict[Value | None, int] = {
    **dict.fromkeys((None, Const(1), External("cv2.IMREAD_COLOR"), External("cv2.IMREAD_COLOR_RGB")), 3),
    **dict.fromkeys((Const(0), External("cv2.IMREAD_GRAYSCALE")), 2),
}
#: Functions of OpenCV that keep the type of what they are given.
_ALIKE = frozenset(
    "cvtColor resize flip rotate transpose copyMakeBorder GaussianBlur blur medianBlur bilateralFilter warpAffine "
    "warpPerspective remap erode dilate morphologyEx pyrDown pyrUp getRectSubPix".split()
)


def call(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """A function of OpenCV or Pillow; None for what is not known here."""
    if name == _OPEN:
        return interp.new(Obj("external", picture_types.PICTURE))
    package, _, last = name.rpartition(".")
    found = _of_opencv(last, site) if package == "cv2" else None
    if found is not None and host_memory.converts(name):
        host_memory.check(interp, name, site)
    return found


def _of_opencv(name: str, site: CallSite) -> Value | None:
    if name == "imread":
        rank = _FLAGS.get(site.value(1, "flags"))
        return Array("uint8", rank) if rank is not None else None
    given = site.value(0, "src") if name in _ALIKE else None
    return Array(given.dtype) if isinstance(given, Array) else None


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``picture.name(...)``."""
    if name == "convert":
        mode = site.value(0, "mode")
        known = _MODES.get(mode.value) if isinstance(mode, Const) and isinstance(mode.value, str) else None
        return interp.new(
            Obj(
                "external",
                picture_types.PICTURE,
                facts={} if known is None else {picture_types.DTYPE: Const(known)},
            )
        )
    if name in _KEEPING or name == "__enter__":
        return ref
    return Sequence(ref) if name == "split" else UNKNOWN


def attribute(interp: Interpreter, ref: Ref, obj: Obj, name: str, node: ast.expr) -> Value | None:
    """What is told of a picture; None for its methods."""
    if name == "size":
        return TupleValue((Scalar("int"), Scalar("int")))
    if name in _NUMBERS:
        return Scalar("int")
    return UNKNOWN if name in _OTHERS else None
