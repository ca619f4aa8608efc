"""Number range: a number that is written into a tensor must be one that its dtype can hold.

What refuses one was asked of an H100 (tests/recorded: "number"): what fills converts the number first ("value cannot be
converted to type c10::Half without overflow"), and so does ``where`` there, which the CPU does not. Arithmetic,
comparisons and the assignment of an item compute with it. ``clamp``, ``hardtanh`` and ``alpha=`` are refused by the CPU
alone: they are left out, since an accelerator is assumed.
"""

from __future__ import annotations

import ast
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

#: Operations that fill: where the numbers stand (the tensor is first), and what they are called.
FILLING: dict[str, tuple[tuple[int, str], ...]] = {
    "masked_fill": ((2, "value"),),
    "index_fill": ((3, "value"),),
    "scatter": ((3, "value"),),
    "fill": ((1, "value"),),
    "fill_diagonal": ((1, "fill_value"),),
    "pad": ((3, "value"),),
    "threshold": ((1, "threshold"), (2, "value")),
    "pow": ((1, "exponent"),),
}
#: Operations that make a tensor of a number, and where that stands.
MAKING = {"full": (1, "fill_value"), "full_like": (1, "fill_value"), "new_full": (1, "fill_value")}
#: Integers from here on are refused by Python's border already, in other words.
_TOO_LONG = 2**63


def check(interp: Interpreter, name: str, site: CallSite) -> None:
    """``score.masked_fill(mask, -1e9)``, the tensor being the first operand."""
    if name not in FILLING:
        return
    given = site.get(0, "input", "self")
    target = without_none(given.value) if given is not None else None
    for place in FILLING[name]:
        number = site.get(*place)
        if given is not None and number is not None and isinstance(target, Tensor):
            _compare(interp, site.node, f"torch.{name}", Part(target, "input", given.node), number)


def check_made(
    interp: Interpreter, name: str, site: CallSite, made: Value, place: tuple[int, str] = (1, "fill_value")
) -> None:
    """``torch.full(size, 1e9, dtype=torch.float16)``, ``full_like`` and ``new_full``: what comes out must hold it."""
    number = site.get(*place)
    if number is not None and isinstance(made, Tensor):
        like = site.args[0].node if name.endswith("_like") and site.args else None
        _compare(interp, site.node, name, Part(made, "input" if like is not None else "result", like), number)


def check_chosen(interp: Interpreter, site: CallSite, chosen: Tensor) -> None:
    """``torch.where(mask, score, -1e9)``: the number becomes a tensor of the dtype of the other."""
    branches = (site.get(1, "input", "self"), site.get(2, "other"))
    if chosen.device.kind == "cpu" or None in branches:
        return  # there it becomes an infinity
    if any(isinstance(each.value, Tensor) and each.value.device.kind == "cpu" for each in site.args):
        return  # refused for its device
    for number, beside in (branches, branches[::-1]):
        tensor = without_none(beside.value) if beside is not None else None
        if number is not None and beside is not None and isinstance(tensor, Tensor):
            _compare(interp, site.node, "torch.where", Part(tensor, "input", beside.node), number)


def check_exponent(interp: Interpreter, node: ast.AST, base: Arg, exponent: Arg) -> None:
    """``score ** 1e9``."""
    if isinstance(base.value, Tensor):
        _compare(interp, node, "torch.pow", Part(base.value, "input", base.node), exponent)


def _compare(interp: Interpreter, node: ast.AST, operation: str, target: Part, number: Arg) -> None:
    value = number.value.value if isinstance(number.value, Const) else None
    bound = largest(target.tensor.dtype)
    if bound is None or not isinstance(value, (int, float)) or not _is_beyond(value, bound):
        return
    # The number is no tensor, and is where the fault is: its place is what counts.
    said = Part(Tensor(UNKNOWN_DEVICE), "value", number.node)
    limit = "min" if value < 0 else "max"
    requirements.record(interp, node, operation, "value-range", [target, said], limit=limit)


def _is_beyond(value: float, bound: float) -> bool:
    """Whether a number is too large; infinities and NaN are numbers of every float dtype."""
    return abs(value) > bound and (abs(value) < _TOO_LONG if isinstance(value, int) else math.isfinite(value))
