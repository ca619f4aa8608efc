"""``torch.finfo``, ``numpy.iinfo`` and ``sys.float_info``: the limits of number types, which are numbers."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import Const, External, Obj, Scalar, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.tensors.arguments import dtype_of

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_WHOLE = frozenset("bits maxexp minexp nexp nmant precision iexp".split())
_REAL = frozenset("eps epsneg max min tiny smallest_normal smallest_subnormal resolution".split())
_NAMES = ("torch.finfo", "torch.iinfo", "numpy.finfo", "numpy.iinfo")
CLASSES = frozenset(External(name) for name in _NAMES)


#: The largest number of each float dtype.
_LARGEST = {
    "float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38,
    "float64": sys.float_info.max,
}  # fmt: skip


def largest(dtype: str | None) -> float | None:
    """The largest number that a float dtype holds; None for others."""
    return _LARGEST.get(dtype or "")


#: The numbers that integer dtypes take where they are written; a negative one goes round in uint8.
_WHOLE_NUMBERS = {"int8": (-128, 127), "uint8": (-255, 255), "int32": (-(2**31), 2**31 - 1)}
#: Integers from here on are refused by Python's border already, in other words.
_TOO_LONG = 2**63


def is_beyond(value: float, dtype: str | None) -> bool:
    """Whether a number is too large for a dtype; infinities and NaN are numbers of every float dtype."""
    if isinstance(value, int) and abs(value) >= _TOO_LONG:
        return False
    if dtype in _WHOLE_NUMBERS:
        least, most = _WHOLE_NUMBERS[dtype]
        return value <= least - 1 or value >= most + 1
    bound = largest(dtype)
    return bound is not None and abs(value) > bound and math.isfinite(value)


def make(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.finfo(x.dtype)``."""
    given = site.value(0, "type", "dtype")
    facts = {"dtype": given} if given is not None else {}
    return interp.new(Obj("external", External(name), facts=facts))


def attribute(obj: Obj, name: str) -> Value | None:
    """``torch.finfo(x.dtype).min``; None for what is no number."""
    whole = name in _WHOLE or (isinstance(obj.cls, External) and obj.cls.name.endswith(".iinfo"))
    if name not in _WHOLE | _REAL:
        return None
    bound = largest(dtype_of(obj.facts["dtype"])) if "dtype" in obj.facts else None
    if bound is not None and not whole and name in ("min", "max"):
        return Const(bound if name == "max" else -bound)
    return Scalar("int" if whole else "float")


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = dict.fromkeys(_NAMES, make)
