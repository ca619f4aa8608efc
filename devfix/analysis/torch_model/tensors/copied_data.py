"""Copied data: whether what ``torch.tensor`` copies, of which nothing is known, is a tensor; then it is where that is."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.reuse import reads
from devfix.analysis.text.scope_names import parameters_of
from devfix.analysis.text.syntax import remembered, statements_of, walk

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite

#: Methods of tensors that numbers, lists and arrays have not.
_OF_TENSORS = frozenset("to cuda detach clone contiguous unsqueeze requires_grad_".split())
#: What is no tensor any more, or on the CPU.
_FETCHED = frozenset("numpy tolist item cpu".split())


def may_be_tensor(interp: Interpreter, site: CallSite) -> bool:
    """Whether data of unknown kind is treated as a tensor, or is what ``forward`` of a module is called with.

    It is asked for what only tensors have, here (``torch.tensor(x.detach())``) or in an earlier line of the function,
    or it is a part of a batch that the function is called with, and of which it moves nothing.
    """
    arg = site.get(0, "data")
    node = arg.node if arg is not None else None
    while isinstance(node, (ast.Subscript, ast.Call)):
        if isinstance(node, ast.Subscript):
            node = node.value
        elif not isinstance(node.func, ast.Attribute) or node.func.attr in _FETCHED:
            return False
        elif node.func.attr in _OF_TENSORS:
            return True
        else:
            node = node.func.value
    return isinstance(node, ast.Name) and (
        _is_input(interp, node.id) or _was_tensor(interp, node) or _is_part_of_input(interp, node.id)
    )


def _is_input(interp: Interpreter, name: str) -> bool:
    function = interp.frame.function
    if function is None or getattr(function.node, "name", "") != "forward":
        return False
    return any(name == parameter.arg for parameter in function.node.args.args)


def _is_part_of_input(interp: Interpreter, name: str) -> bool:
    function = interp.frame.function
    return function is not None and name in _parts_of_inputs(function.node)


@remembered
def _parts_of_inputs(function: ast.AST) -> frozenset[str]:
    """The names that a function gives the parts of a parameter: ``x, y = batch``, if it moves none of them."""
    found: set[str] = set()
    inputs = {each.arg for each in parameters_of(function)}
    moved = {
        part.value.id
        for part in walk(function)
        if isinstance(part, ast.Attribute)
        and part.attr in ("to", "cuda")
        and isinstance(part.value, ast.Name)
    }
    for statement in statements_of(function):
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Name):
            continue
        for target in statement.targets:
            parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else ()
            names = {part.id for part in parts if isinstance(part, ast.Name)}
            if statement.value.id in inputs - moved and moved.isdisjoint(names):
                found |= names
    return frozenset(found)


def _was_tensor(interp: Interpreter, name: ast.Name) -> bool:
    function = interp.frame.function
    scope = function.node if function is not None else reads.tree(interp)
    return any(line < name.lineno for line in _asked_as_tensor(scope).get(name.id, ()))


@remembered
def _asked_as_tensor(scope: ast.AST) -> dict[str, list[int]]:
    """The lines in which names are asked for what only tensors have, by name."""
    found: dict[str, list[int]] = {}
    for statement in statements_of(scope):
        if isinstance(statement, (ast.Assign, ast.Expr, ast.AnnAssign, ast.AugAssign, ast.Return)):
            for part in walk(statement):
                if (
                    isinstance(part, ast.Attribute)
                    and part.attr in _OF_TENSORS
                    and isinstance(part.value, ast.Name)
                ):
                    found.setdefault(part.value.id, []).append(part.lineno)
    return found
