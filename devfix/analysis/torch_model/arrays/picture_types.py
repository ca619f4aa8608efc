"""Picture types: the dtype of what is made of a picture of Pillow."""

from __future__ import annotations

from devfix.analysis.domain.values import Const, External, Obj

#: The class of Pillow's pictures.
PICTURE = External("PIL.Image.Image")
#: The fact of a picture that has the dtype of its mode.
DTYPE = "dtype of its mode"


def dtype_of(obj: Obj) -> str | None:
    """The dtype of an array that is made of a picture; None where nobody knows its mode."""
    known = obj.facts.get(DTYPE)
    return known.value if isinstance(known, Const) and isinstance(known.value, str) else None
