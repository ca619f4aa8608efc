"""Shared memory: tensors that see what is written to the array or buffer they were made of."""

from __future__ import annotations

import ast

from devfix.placement.devices.device_expression import Place
from devfix.placement.text.dependence import dotted

#: Calls whose result shares the memory of the array or buffer that they are given.
_SHARING = ("from_numpy", "as_tensor", "asarray", "frombuffer")
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def is_written_later(place: Place) -> bool:
    """Whether the call at ``place`` makes a tensor of an array to which the program goes on to write.

    A copy made there, by a cast or a move, would never see what is written.
    """
    call = place.node
    if not isinstance(call, ast.Call) or getattr(call.func, "attr", "") not in _SHARING or not call.args:
        return False
    name = dotted(call.args[0])
    return name is not None and any(_comes_after(place, node) for node in _writes(place, name))


def _writes(place: Place, name: str) -> list[ast.Subscript]:
    """Assignments to items of the array in the file; an attribute is known by what it is called."""
    return [
        node
        for node in ast.walk(place.outline.source.tree)
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
