"""``torch.finfo``, ``numpy.iinfo`` and ``sys.float_info``: the limits of number types, which are numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.frames import CallSite
from devfix.analysis.values import External, Obj, Scalar, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_WHOLE = frozenset("bits maxexp minexp nexp nmant precision iexp".split())
_REAL = frozenset("eps epsneg max min tiny smallest_normal smallest_subnormal resolution".split())
_NAMES = ("torch.finfo", "torch.iinfo", "numpy.finfo", "numpy.iinfo")
CLASSES = frozenset(External(name) for name in _NAMES)


def make(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.finfo(x.dtype)``."""
    return interp.new(Obj("external", External(name)))


def attribute(obj: Obj, name: str) -> Value | None:
    """``torch.finfo(x.dtype).min``; None for what is no number."""
    whole = name in _WHOLE or (isinstance(obj.cls, External) and obj.cls.name.endswith(".iinfo"))
    if name not in _WHOLE | _REAL:
        return None
    return Scalar("int" if whole else "float")


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = dict.fromkeys(_NAMES, make)
