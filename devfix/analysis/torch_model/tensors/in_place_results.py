"""In-place results: what is computed must fit into the dtype of the tensor it is written to."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import INTEGERS
from devfix.analysis.domain.number_types import exact_type
from devfix.analysis.domain.values import Tensor, Value
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.requirements import Part
from devfix.analysis.torch_model.tensors.specs import FLOATING

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite

#: Operations that give a float of integers too.
_DIVIDING = frozenset(
    f"torch.{name}" for name in "div divide true_divide atan2 arctan2 copysign xlogy".split()
)
#: Operations whose result has the dtype that promotion gives their operands.
_PROMOTING = frozenset(
    f"torch.{name}"
    for name in "add sub subtract mul multiply floor_divide remainder fmod pow clamp clip hypot addcmul addcdiv".split()
)
#: What is drawn into a tensor from a continuous distribution, which has no integers.
_CONTINUOUS = frozenset({"normal", "uniform", "exponential", "cauchy", "log_normal"})
_BOUNDED = frozenset({"torch.clamp", "torch.clip"})


def check(interp: Interpreter, node: ast.AST, operation: str, parts: list[Part], others: list[Value]) -> None:
    """A tensor of integers or bools (the first part) meets a float in place: the result cannot be written back.

    "result type Float can't be cast to the desired output type Long", on every device.
    """
    target = parts[0]
    if (
        operation not in _PROMOTING | _DIVIDING
        or target.tensor.dtype not in (*INTEGERS, "bool")
        or _rounded(node)
    ):
        return
    floats = [part for part in parts[1:] if requirements.is_float(part.tensor.dtype)]
    if operation in _BOUNDED:
        for part in floats:
            detail = {"wanted": "int64", "bound": "1"}
            requirements.record(interp, node, operation, "in-place-dtype", [part, target], **detail)
        return
    if floats or operation in _DIVIDING or any(exact_type(other) == "float" for other in others):
        pair = [target, *floats]
        requirements.record(interp, node, operation, "in-place-dtype", pair, wanted="float32")


def check_alone(interp: Interpreter, name: str, target: Tensor, site: CallSite) -> None:
    """A tensor of integers takes the roots of its elements in place, or draws of floats: the same."""
    if target.dtype in (*INTEGERS, "bool") and name in FLOATING | _CONTINUOUS and not site.open:
        part = Part(target, "input", site.args[0].node if site.args else None)
        requirements.record(interp, site.node, f"torch.{name}", "in-place-dtype", [part], wanted="float32")


def _rounded(node: ast.AST) -> bool:
    """``div_(n, rounding_mode="floor")`` stays an integer."""
    return isinstance(node, ast.Call) and any(k.arg == "rounding_mode" for k in node.keywords)
