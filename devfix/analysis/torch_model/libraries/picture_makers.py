"""What of torchvision makes tensors of pictures, or goes with a model: files that are read, ``tv_tensors``, presets of weights."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import AT_LEAST_1, CPU
from devfix.analysis.domain.values import NONE, UNKNOWN, External, Obj, Tensor, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.libraries import mask_kinds
from devfix.analysis.torch_model.tensors import factories
from devfix.analysis.torch_model.tensors.arguments import device_of

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: The class of the transforms that go with weights, under the name by which transforms are known.
PRESET = "torchvision.transforms._presets.ImageClassification"
#: Those of ``tv_tensors`` that take a picture as well, and may have a dimension more than their data.
_PICTURES = ("Image", "Video", "Mask")
_OF_WEIGHTS = re.compile(r"torchvision\.models\.[\w.]*_Weights\.\w+\.transforms$")


def preset(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """``ResNet18_Weights.DEFAULT.transforms()``; None for any other name."""
    return interp.new(Obj("external", External(PRESET))) if _OF_WEIGHTS.match(name) else None


def _read(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``read_image("a.png")``: bytes on the CPU, unless some are asked to be decoded elsewhere."""
    asked = site.value(None, "device")
    device = CPU if asked in (None, NONE) else device_of(asked)
    if device is None:
        return UNKNOWN
    return Tensor(device, "uint8", 3, grad=False, leaf=True, trail=(interp.site("numpy", site.node),))


def _wrapped(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``tv_tensors.Image(data)``: what ``torch.as_tensor`` makes of the data, or a tensor of a picture."""
    made = factories.as_tensor(interp, name, site)
    if not isinstance(made, Tensor):
        return made
    rank = AT_LEAST_1 if name.endswith(_PICTURES) else made.rank
    return mask_kinds.made(name, replace(made, rank=rank, parameter=False, leaf=None))


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **{
        f"torchvision.io.{each}": _read
        for each in ("read_image", "decode_image", "decode_jpeg", "decode_png")
    },
    **{f"torchvision.io.image.{each}": _read for each in ("read_image", "decode_image")},
    **{f"torchvision.tv_tensors.{each}": _wrapped for each in (*_PICTURES, "BoundingBoxes", "KeyPoints")},
}
