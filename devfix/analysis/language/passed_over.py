"""Calls that are passed over: what they would change of what they are given is unknown from there on.

What such a call returns is known from others like it, with other objects.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import UNKNOWN_DEVICE
from devfix.analysis.domain.values import Function, Obj, Ref, Tensor, Value
from devfix.analysis.nn.modules import havoc
from devfix.analysis.text import own_attributes
from devfix.analysis.text.scope_names import parameters_of
from devfix.analysis.text.syntax import below, first_name, remembered, spelt, walk

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_METHODS = (ast.FunctionDef, ast.AsyncFunctionDef)
#: What moves a module; each way goes through its ``_apply``.
_MOVES = frozenset({"to", "cuda", "cpu", "_apply"})


def forget(interp: Interpreter, function: Function, given: tuple[Value, ...]) -> None:
    """What a function assigns of its object or moves of what it is ``given`` may be anywhere.

    A constructor hands on what it is given, to methods that move it perhaps.
    """
    if not isinstance(function.node, _METHODS):
        return
    if function.owner is not None and given and isinstance(given[0], Ref):
        _forget_assigned(interp, given[0], own_attributes.of(function.node)[1])
    if function.node.name == "__init__":
        moved = given[1:]
    else:
        names = moved_parameters(function.node) | _handed_to_movers(interp, function.node)
        moved = tuple(
            value
            for part, value in zip(parameters_of(function.node), given, strict=False)
            if part.arg in names
        )
    for value in moved:
        havoc(interp, value)


def _forget_assigned(interp: Interpreter, receiver: Ref, changing: frozenset[str]) -> None:
    obj = interp.obj(receiver)
    later = _with_lost_buffers(own_attributes.without(obj, changing), changing)
    if later is not obj:
        interp.update(receiver, later)


def _with_lost_buffers(obj: Obj, changing: frozenset[str]) -> Obj:
    """An object whose buffers of these names are anywhere, and still its buffers."""
    lost = {
        name: replace(value, device=UNKNOWN_DEVICE, dtype=None, split=None)
        for name in changing & obj.buffers
        if isinstance(value := obj.attrs.get(name), Tensor)
    }
    return replace(obj, attrs={**obj.attrs, **lost}) if lost else obj


@remembered
def moved_parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """The parameters that a function moves, or of which it moves an attribute; ``super().to(device)`` moves the first."""
    own = [part.arg for part in parameters_of(function)]
    found: set[str] = set()
    pending: list[ast.AST] = [function]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MOVES:
            found.update(own[:1] if own_attributes.is_of_base(node) else [first_name(node.func.value)])
        if not isinstance(node, (ast.Name, ast.Constant)):
            pending += below(node)
    return frozenset(found.intersection(own))


def _handed_to_movers(
    interp: Interpreter, function: ast.FunctionDef | ast.AsyncFunctionDef
) -> frozenset[str]:
    """The parameters that a function hands on to what moves them, as far as functions of that name in the program do."""
    sources = interp.program.sources.values()
    return frozenset(
        name
        for name, called, index in _handed_on(function)
        if any(
            _moves(other, index)
            for source in sources
            if called in source.text
            for other in _definitions(source.tree).get(called, ())
        )
    )


def _moves(function: ast.FunctionDef | ast.AsyncFunctionDef, index: int) -> bool:
    """Whether a function moves what it is given at a place, or a method after its object."""
    own = [part.arg for part in parameters_of(function)]
    own = own[1:] if own[:1] in (["self"], ["cls"]) else own
    return index < len(own) and own[index] in moved_parameters(function)


@remembered
def _handed_on(function: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[tuple[str, str, int], ...]:
    """Which parameters, by whatever name the function has for them, are which argument of a call of which name."""
    names = {part.arg: part.arg for part in parameters_of(function)}
    nodes = list(walk(function))
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in names:
            also = (target.id for target in node.targets if isinstance(target, ast.Name))
            names.update(dict.fromkeys(also, names[node.value.id]))
    return tuple(
        (names[arg.id], spelt(node.func).rpartition(".")[2], index)
        for node in nodes
        if isinstance(node, ast.Call)
        for index, arg in enumerate(node.args)
        if isinstance(arg, ast.Name) and arg.id in names
    )


@remembered
def _definitions(tree: ast.Module) -> dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]]:
    """The functions and methods of a file by their names."""
    found: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
    for node in walk(tree):
        if isinstance(node, _METHODS):
            found.setdefault(node.name, []).append(node)
    return found
