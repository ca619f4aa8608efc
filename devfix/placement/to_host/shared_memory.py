"""Shared memory: tensors that see what is written to the array or buffer beside them, and that it sees written to."""

from __future__ import annotations

import ast

from devfix.analysis.text.scope_names import parameters_of
from devfix.analysis.text.syntax import in_rows
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves.aliases import is_written_at
from devfix.placement.text.dependence import dotted
from devfix.placement.to_host import seen_by_array

#: Calls whose result shares the memory of the array or buffer that they are given.
_SHARING = ("from_numpy", "as_tensor", "asarray", "frombuffer")
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def is_written_later(place: Place) -> bool:
    """Whether the call at ``place`` makes a tensor with the memory of an array, and the program goes on to write to it."""
    return _is_of_written(place) or seen_by_array.is_written(place)


def _is_of_written(place: Place) -> bool:
    """Whether the call at ``place`` makes a tensor of an array to which the program goes on to write.

    A copy made there, by a cast or a move, would never see what is written; nor would the array, where the program
    writes to the tensor and reads the array behind that.
    """
    call = place.node
    if not isinstance(call, ast.Call) or getattr(call.func, "attr", "") not in _SHARING or not call.args:
        return False
    name = dotted(call.args[0])
    if name is None:
        return False
    written = any(_comes_after(place, node) for node in _writes(place, name))
    return written or (_is_tensor_written(place) and _is_read_later(place, name))


def _is_tensor_written(place: Place) -> bool:
    """Whether something is written in place to the tensor made at ``place``, under the name that it gets there."""
    outline, statement = place.outline, place.outline.statement_of(place.node)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(target, ast.Name) or outline.parents[place.node] is not statement:
        return False
    around = outline.function_of(target)
    later = [
        node
        for node in outline.occurrences(around if around is not None else outline.source.tree, target.id)
        if node.lineno > statement.lineno
    ]
    anew = [
        node.lineno for node in later if isinstance(node.ctx, ast.Store) and not _is_augmented(place, node)
    ]
    return any(
        is_written_at(outline, node) and node.lineno <= min(anew, default=node.lineno) for node in later
    )


def _is_augmented(place: Place, name: ast.Name) -> bool:
    return isinstance(place.outline.parents[name], ast.AugAssign)


def _is_read_later(place: Place, name: str) -> bool:
    """Whether the array is read behind ``place``, or may be by those who gave it."""
    function, end = place.outline.function_of(place.node), place.outline.source.span(place.node).end_line
    if isinstance(function, ast.FunctionDef) and name in {each.arg for each in parameters_of(function)}:
        return True
    reads = (node for node in in_rows(place.outline.source.tree) if dotted(node) == name)
    return any(
        node.lineno > end or place.outline.function_of(node) is not function
        for node in reads
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load)
    )


def _writes(place: Place, name: str) -> list[ast.Subscript]:
    """Assignments to items of the array in the file; an attribute is known by what it is called."""
    return [
        node
        for node in in_rows(place.outline.source.tree)
        if isinstance(node, ast.Subscript)
        and not isinstance(node.ctx, ast.Load)
        and dotted(node.value) == name
    ]


def _comes_after(place: Place, write: ast.Subscript) -> bool:
    """Whether a write is executed while the tensor made at ``place`` is in use."""
    outline = place.outline
    made, written = outline.function_of(place.node), outline.function_of(write)
    if made is not written:
        # Another function writes when the array outlives this one, and the tensor does, too.
        target = getattr(outline.statement_of(place.node), "targets", [None])[0]
        return made is None or isinstance(target, ast.Attribute)
    if write.lineno <= place.outline.source.span(place.node).end_line:
        return False
    return _loop(place, place.node) is None or _loop(place, place.node) is not _loop(place, write)


def _loop(place: Place, node: ast.AST) -> ast.AST | None:
    """The innermost loop around a node."""
    return next((each for each in place.outline.around(node) if isinstance(each, _LOOPS)), None)
