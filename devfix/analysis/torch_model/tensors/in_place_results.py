"""In-place results: what is computed must fit into the dtype of the tensor it is written to."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.lattice import INTEGERS
from devfix.analysis.domain.values import Value
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Operations that give a float of integers too.
_DIVIDING = frozenset({"torch.div", "torch.divide", "torch.true_divide"})
#: Operations whose result has the dtype that promotion gives their operands.
_PROMOTING = frozenset(
    f"torch.{name}"
    for name in "add sub subtract mul multiply div divide true_divide remainder fmod pow clamp clip".split()
)
_BOUNDED = frozenset({"torch.clamp", "torch.clip"})


def check(interp: Interpreter, node: ast.AST, operation: str, parts: list[Part], others: list[Value]) -> None:
    """A tensor of integers or bools (the first part) meets a float in place: the result cannot be written back.

    "result type Float can't be cast to the desired output type Long", on every device.
    """
    target = parts[0]
    if operation not in _PROMOTING or target.tensor.dtype not in (*INTEGERS, "bool") or _rounded(node):
        return
    floats = [part for part in parts[1:] if requirements.is_float(part.tensor.dtype)]
    if operation in _BOUNDED:
        for part in floats:
            detail = {"wanted": "int64", "bound": "1"}
            requirements.record(interp, node, operation, "in-place-dtype", [part, target], **detail)
        return
    if floats or operation in _DIVIDING or any(scalar_type(other) == "float" for other in others):
        pair = [target, *floats]
        requirements.record(interp, node, operation, "in-place-dtype", pair, wanted="float32")


def _rounded(node: ast.AST) -> bool:
    """``div_(n, rounding_mode="floor")`` stays an integer."""
    return isinstance(node, ast.Call) and any(k.arg == "rounding_mode" for k in node.keywords)
