"""Masks of ``tv_tensors``: what torchvision's second transforms cast tells pictures from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import INTEGERS
from devfix.analysis.domain.values import NONE, DTypeValue, External, Obj, Tensor, Value, members
from devfix.analysis.language import object_keys
from devfix.analysis.torch_model.tensors.truths_in_floats import MASK

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_PACKAGE = "torchvision.tv_tensors."
_CLASS = External(f"{_PACKAGE}Mask")
#: Under which key ``ToDtype`` is told what becomes of all that it has no class for.
_OTHERS = "others"


def made(name: str, tensor: Tensor) -> Tensor:
    """What ``tv_tensors.Mask(data)`` and its like make of data."""
    is_mask = name.endswith(".Mask") and tensor.dtype in INTEGERS
    return replace(tensor, cast_of=MASK) if is_mask else tensor


def cast(interp: Interpreter, mask: Tensor, told: Value | None) -> str | None:
    """The dtype of whole numbers after ``ToDtype(told)``, where they are a mask; None where nobody knows.

    One dtype is for pictures alone; a dict says for each class what becomes of it, and None leaves it as it is.
    """
    if mask.cast_of != MASK:
        return None
    table = interp.obj_of(told) if told is not None else None
    wanted = _entry(table) if table is not None else NONE if isinstance(told, DTypeValue) else None
    if isinstance(wanted, DTypeValue):
        return wanted.name
    return mask.dtype if wanted == NONE else None


def _entry(table: Obj) -> Value | None:
    """What a dict has for masks, by their class or for all others."""
    own = object_keys.entry(table, _CLASS)
    keys = members(object_keys.of(table))
    are_known = all(isinstance(key, External) and key.name.startswith(_PACKAGE) for key in keys)
    return table.attrs.get(_OTHERS) if own is None and (are_known or table.element is None) else own
