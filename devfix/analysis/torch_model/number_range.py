"""Number range: a number that is written into a tensor must be one that its dtype can hold.

Which operations refuse one and which make an infinity of it was asked of torch 2.13: what fills converts the number
first ("value cannot be converted to type c10::Half without overflow"), while arithmetic, ``where`` and the assignment
of an item compute with it. ``clamp`` is left out: its kernels for the CPU refuse, those for accelerators need not.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from devfix.analysis.frames import Arg, CallSite
from devfix.analysis.lattice import UNKNOWN_DEVICE
from devfix.analysis.torch_model import requirements
from devfix.analysis.torch_model.number_limits import largest
from devfix.analysis.torch_model.requirements import Part
from devfix.analysis.values import Const, Tensor, Value, without_none

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Operations that fill: where the number stands (the tensor is first), and what it is called.
_FILLING = {
    "masked_fill": (2, "value"),
    "index_fill": (3, "value"),
    "scatter": (3, "value"),
    "fill": (1, "value"),
    "fill_diagonal": (1, "fill_value"),
    "pad": (3, "value"),
}


def check(interp: Interpreter, name: str, site: CallSite) -> None:
    """``score.masked_fill(mask, -1e9)``, the tensor being the first operand."""
    place = _FILLING.get(name)
    if place is None:
        return
    given = site.get(0, "input", "self")
    target = without_none(given.value) if given is not None else None
    number = site.get(*place)
    if given is not None and number is not None and isinstance(target, Tensor):
        _compare(interp, site, f"torch.{name}", Part(target, "input", given.node), number)


def check_made(interp: Interpreter, name: str, site: CallSite, made: Value) -> None:
    """``torch.full(size, 1e9, dtype=torch.float16)``, ``full_like`` and ``new_full``: what comes out must hold it."""
    number = site.get(1, "fill_value")
    if number is not None and isinstance(made, Tensor):
        like = site.args[0].node if name.endswith("_like") and site.args else None
        _compare(interp, site, name, Part(made, "input" if like is not None else "result", like), number)


def _compare(interp: Interpreter, site: CallSite, operation: str, target: Part, number: Arg) -> None:
    value = number.value.value if isinstance(number.value, Const) else None
    bound = largest(target.tensor.dtype)
    if bound is None or not isinstance(value, (int, float)) or not _is_beyond(value, bound):
        return
    # The number is no tensor, and is where the fault is: its place is what counts.
    said = Part(Tensor(UNKNOWN_DEVICE), "value", number.node)
    limit = "min" if value < 0 else "max"
    requirements.record(interp, site.node, operation, "value-range", [target, said], limit=limit)


def _is_beyond(value: float, bound: float) -> bool:
    """Whether a number is too large; infinities and NaN are numbers of every float dtype."""
    return abs(value) > bound and (isinstance(value, int) or math.isfinite(value))
