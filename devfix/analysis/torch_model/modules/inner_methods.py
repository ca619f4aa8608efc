"""Inner methods: what a layer of torch calls to compute, which a class of the project may have for itself.

A convolution whose ``_conv_forward`` casts the weight to the input's dtype takes inputs of any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.values import Class, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_INNER = {f"Conv{dims}d": "_conv_forward" for dims in (1, 2, 3)}


def are_overridden(interp: Interpreter, name: str, cls: Value) -> bool:
    """Whether a class that descends from the layer ``name`` of torch computes by itself."""
    inner = _INNER.get(name)
    return inner is not None and isinstance(cls, Class) and classes.find(interp, cls, inner) is not None
