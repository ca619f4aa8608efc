"""Gradients that an autograd function of the project gives back: the engine wants each where its input is."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import Function, Tensor, Value
from devfix.analysis.language.frames import CallSite, Frame
from devfix.analysis.text.syntax import statements_of, walk
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

OPERATION = "torch.autograd.Function.backward"


#: What takes a tensor to the CPU, or may.
_MOVES = frozenset({"cpu", "to"})


def is_for_host(forward: Function) -> bool:
    """Whether ``forward`` hands NumPy tensors as it gets them: they are on the CPU, or it fails before any gradient is asked for."""
    called = {
        node.func.attr
        for node in walk(forward.node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    return "numpy" in called and called.isdisjoint(_MOVES)


def check(
    interp: Interpreter, backward: Function, incoming: Value, gradients: tuple[Value, ...], site: CallSite
) -> None:
    """Hold what ``backward`` made of the gradient that came in against the inputs of ``apply``.

    A gradient without dimensions is taken to its input, and any is cast (``validate_outputs`` in
    torch/csrc/autograd/engine.cpp).
    """
    for number, (gradient, arg) in enumerate(zip(gradients, site.args, strict=False)):
        given = arg.value
        if not isinstance(given, Tensor) or given.grad is False or not isinstance(gradient, Tensor):
            continue
        if not gradient.rank:
            continue
        parts = [Part(gradient, "gradient"), Part(given, "input", arg.node)]
        if not _met_inside(interp, backward, number, parts, incoming):
            requirements.meet(interp, site.node, OPERATION, parts, scalars=False)


def _met_inside(
    interp: Interpreter, backward: Function, number: int, parts: list[Part], incoming: Value
) -> bool:
    """Whether the gradient met the one that came in, which is where the input is, at the ``return`` that it comes from."""
    returned, came = _returned(backward.node, number), _first_use(backward.node)
    if returned is None or came is None or not isinstance(incoming, Tensor):
        return False
    if incoming.device != parts[1].tensor.device:
        return False
    frame = Frame(
        interp.fresh(), backward.path, backward.scope, "function", backward.frame,
        interp.outermost(backward.frame), backward,
    )  # fmt: skip
    with interp.entered(frame):
        inside = [Part(parts[0].tensor, "gradient", returned), Part(incoming, "grad_output", came)]
        requirements.meet(interp, returned, OPERATION, inside, scalars=False)
    return True


def _returned(node: ast.AST, number: int) -> ast.expr | None:
    """What the only ``return`` of a function gives back at a place."""
    found = [
        each.value for each in statements_of(node) if isinstance(each, ast.Return) and each.value is not None
    ]
    if len(found) != 1:
        return None
    items = found[0].elts if isinstance(found[0], ast.Tuple) else [found[0]]
    if any(isinstance(item, ast.Starred) for item in items):
        return None
    return items[number] if number < len(items) else None


def _first_use(node: ast.AST) -> ast.expr | None:
    """Where ``backward`` first names the gradient that it is given."""
    names = [arg.arg for arg in node.args.args] if isinstance(node, ast.FunctionDef) else []
    uses = (each for each in walk(node) if isinstance(each, ast.Name) and names[1:2] == [each.id])
    return next(iter(sorted(uses, key=lambda use: (use.lineno, use.col_offset))), None)
