"""``torch.einsum``: where its operands meet, and which of them are multiplied as matrices."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import INTEGERS, promote
from devfix.analysis.domain.values import UNKNOWN, Const, Sequence, Tensor, TupleValue, Value, without_none
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.devices import autocast
from devfix.analysis.torch_model.tensors import float_operations, operations, ranks, requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


_SMALL = frozenset((*INTEGERS, "bool")) - {"int64"}


def einsum(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.einsum(equation, *operands)``: a product of matrices where it sums over what operands share."""
    args = _listed(interp, site.args[1:])
    parts: dict[int, Part] = {}
    for number, arg in enumerate(args):
        value = without_none(arg.value)
        if isinstance(value, Tensor):
            parts[number] = Part(value, "operands", arg.node)
        elif isinstance(value, (TupleValue, Sequence)):
            return UNKNOWN
    if not parts:
        return UNKNOWN
    equation = site.value(0, "equation")
    summed = _summed_together(equation, len(args))
    together = [part for number, part in parts.items() if number in (summed or ())]
    whole = [part for part in together if not _is_inexact(part)]
    requirements.same_dtype(interp, site.node, name, [part for part in together if _is_inexact(part)])
    device = requirements.meet(interp, site.node, name, list(parts.values()), scalars=False)
    float_operations.check_together(interp, site.node, name, whole, device)
    tensors = [part.tensor for part in parts.values()]
    dtype = _promoted(tensors) if len(parts) == len(args) else None
    if dtype in _SMALL:
        dtype = None  # sums of them are counted in int64
    if summed != frozenset():
        dtype = autocast.lowered(interp, dtype)
    return operations.derived(interp, tensors, site, dtype, ranks.of_equation(equation), device)


def _summed_together(equation: Value | None, count: int) -> frozenset[int] | None:
    """The operands that share a letter over which is summed; None when the equation is not known.

    The others are multiplied element by element, which promotes their dtypes.
    """
    text = equation.value if isinstance(equation, Const) else None
    if not isinstance(text, str):
        return None
    given, arrow, result = text.replace(" ", "").replace("...", "").partition("->")
    operands = [set(letters) for letters in given.split(",")]
    if len(operands) != count:
        return None
    kept = set(result) if arrow else {letter for letter, times in Counter(given).items() if times == 1}
    holders = Counter(letter for letters in operands for letter in letters - kept)
    shared = {letter for letter, times in holders.items() if times > 1}
    return frozenset(number for number, letters in enumerate(operands) if letters & shared)


def _is_inexact(part: Part) -> bool:
    """Whether an operand is of floats; a mask of whole numbers often has one column, over which nothing is summed."""
    return part.tensor.dtype not in (*INTEGERS, "bool")


def _promoted(tensors: list[Tensor]) -> str | None:
    pairs = [(tensor.dtype, tensor.rank) for tensor in tensors]
    return reduce(lambda one, other: (promote(one, other), None), pairs)[0]


def _listed(interp: Interpreter, args: tuple[Arg, ...]) -> tuple[Arg, ...]:
    """The operands that are given as one list, as they used to be."""
    node = args[0].node if len(args) == 1 else None
    items = iteration.exact_items(interp, args[0].value) if isinstance(node, (ast.List, ast.Tuple)) else None
    if items is None or not isinstance(node, (ast.List, ast.Tuple)) or len(items) != len(node.elts):
        return args
    return tuple(Arg(item, elt) for item, elt in zip(items, node.elts, strict=True))


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {"torch.einsum": einsum}
