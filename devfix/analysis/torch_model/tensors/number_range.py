"""Number range: a number that is written into a tensor must be one that its dtype can hold.

What refuses one was asked of an H100 (tests/recorded: "number"): what fills converts the number first ("value cannot be
converted to type c10::Half without overflow"), and so does ``where`` there, which the CPU does not. Arithmetic,
comparisons and the assignment of an item compute with it. ``clamp``, ``hardtanh`` and ``alpha=`` are refused by the CPU
alone: they are left out, since an accelerator is assumed.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.lattice import FLOATS, UNKNOWN_DEVICE
from devfix.analysis.domain.values import Const, Tensor, Value, without_none
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.python.number_limits import is_beyond
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.requirements import Part

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
#: Modules that keep a number, and where it is given.
KEEPING = {
    "ConstantPad1d": (1, "value"), "ConstantPad2d": (1, "value"), "ConstantPad3d": (1, "value"), "Threshold": (1, "value"),
}  # fmt: skip
#: What takes the number out of a 0-dim tensor, on whatever device that is.
_OF_TENSORS = ("torch.masked_fill", "torch.index_fill", "torch.fill")
_MAKES_SCALAR = re.compile(r"(torch|th)\.tensor\(")


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
        if number is None or beside is None or not isinstance(tensor, Tensor):
            continue
        if tensor.dtype in FLOATS or scalar_type(number.value) == "int":  # else what comes out is a float
            _compare(interp, site.node, "torch.where", Part(tensor, "input", beside.node), number)


def check_kept(interp: Interpreter, name: str, site: CallSite, number: Value) -> None:
    """``nn.ConstantPad1d(1, -1e9)(score)``: the number that a module keeps."""
    given = site.get(0, "input")
    target = without_none(given.value) if given is not None else None
    callee = site.node.func if isinstance(site.node, ast.Call) else None
    if given is not None and isinstance(target, Tensor):
        part, operation = Part(target, "input", given.node), f"torch.nn.{name}"
        _compare(interp, site.node, operation, part, Arg(number, callee), module=operation)


def check_exponent(interp: Interpreter, node: ast.AST, base: Arg, exponent: Arg) -> None:
    """``score ** 1e9``."""
    if isinstance(base.value, Tensor):
        _compare(interp, node, "torch.pow", Part(base.value, "input", base.node), exponent)


def _compare(
    interp: Interpreter, node: ast.AST, operation: str, target: Part, number: Arg, **detail: str
) -> None:
    value = number.value.value if isinstance(number.value, Const) else None
    if value is None and operation in _OF_TENSORS and isinstance(number.value, Tensor):
        value = _made_of(number.value)
    if not isinstance(value, (int, float)) or not is_beyond(value, target.tensor.dtype):
        return
    # The number is no tensor, and is where the fault is: its place is what counts.
    said = Part(Tensor(UNKNOWN_DEVICE), "value", number.node)
    limit = "min" if value < 0 else "max"
    requirements.record(interp, node, operation, "value-range", [target, said], limit=limit, **detail)


def _made_of(tensor: Tensor) -> float | None:
    """The number that a 0-dim tensor was made of where it is used, as far as its own dtype holds it."""
    born = tensor.trail[0] if tensor.trail else None
    if born is None or born.kind != "factory" or tensor.rank != 0 or not _MAKES_SCALAR.match(born.text):
        return None
    try:
        call = ast.parse(born.text, mode="eval").body
        number = ast.literal_eval(call.args[0]) if isinstance(call, ast.Call) and call.args else None
    except (ValueError, SyntaxError):
        return None
    known = isinstance(number, (int, float)) and not is_beyond(number, tensor.dtype)
    return number if known and tensor.dtype is not None else None
