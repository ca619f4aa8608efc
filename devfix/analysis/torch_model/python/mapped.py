"""``map(function, items, ...)``: the function is called where nobody wrote a call of it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import (
    UNKNOWN,
    BoundMethod,
    Class,
    Function,
    Sequence,
    Tensor,
    TupleValue,
    Value,
    without_none,
)
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.loading import collation

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: More items than this are not followed one by one.
_MOST = 8


def call(interp: Interpreter, name: str, site: CallSite) -> Value:
    """What ``map`` and its like yield: each item by itself where they are few and known, else one item for all."""
    if iteration.is_thrown_away(interp, site.node):
        return Sequence(UNKNOWN)
    function = without_none(site.args[0].value) if site.args else UNKNOWN
    columns = [iteration.exact_items(interp, arg.value) for arg in site.args[1:]]
    if len(columns) == 1 and columns[0] is not None and len(columns[0]) <= _MOST:
        items = zip(columns[0], _written(site.args[1].node, len(columns[0])), strict=True)
        return TupleValue(tuple(made_by(interp, function, (Arg(v, n),), site.node) for v, n in items))
    args = tuple(Arg(iteration.element(interp, a.value, a.node), a.node) for a in site.args[1:])
    with iteration.rounds(interp, counted=False):
        return Sequence(made_by(interp, function, args, site.node))


def _written(node: ast.expr | None, count: int) -> list[ast.expr | None]:
    """Where each item stands, of a list or tuple that is written in the call."""
    if isinstance(node, (ast.List, ast.Tuple)) and not any(isinstance(n, ast.Starred) for n in node.elts):
        return list(node.elts)
    return [None] * count


def made_by(interp: Interpreter, function: Value, args: tuple[Arg, ...], node: ast.expr) -> Value:
    """What a call gives that nobody wrote."""
    return unwritten(interp, function, CallSite(node, args))


def unwritten(interp: Interpreter, function: Value, given: CallSite) -> Value:
    """What such a call gives: none stands there that could be given a device, as one of a factory could."""
    result = interp.call(function, given)
    if isinstance(function, (Function, BoundMethod, Class)):
        return result  # where tensors are made in them calls stand
    here = interp.source.span(given.node)

    def begin(tensor: Tensor) -> Tensor:
        if not tensor.trail or tensor.trail[0].span != here:
            return tensor
        return replace(tensor, trail=(replace(tensor.trail[0], kind="other"), *tensor.trail[1:]))

    return collation.each_tensor(interp, result, begin)
