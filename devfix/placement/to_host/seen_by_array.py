"""Tensors that an array sees: where one of the two is written to, the tensor stays, for the other has the same memory."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.text.noting import noted
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves.aliases import is_written_at
from devfix.placement.text.dependence import dotted

#: Functions of NumPy that make an array of the memory of what they are given.
_ARRAYS = ("asarray", "frombuffer", "asanyarray")


def is_written(place: Place) -> bool:
    """Whether what is made at ``place`` shares its memory with an array, and the program writes to one of the two.

    Behind ``t = torch.zeros(3)`` and ``a = t.numpy()``, what is written to ``a[0]`` gets into ``t``; an array of a tensor on
    the accelerator is a copy.
    """
    outline, statement = place.outline, place.outline.statement_of(place.node)
    name = dotted(statement.targets[0]) if isinstance(statement, ast.Assign) else None
    if name is None or name not in _seen(outline.source.tree) or outline.parents[place.node] is not statement:
        return False
    function = outline.function_of(statement)
    around = outline.source.tree if "." in name or function is None else function
    return any(
        _is_array_written(outline, around, array) or _is_tensor_written(outline, around, name, after=made)
        for made, array in _arrays(around, name)
    )


@noted
def _seen(tree: ast.AST) -> frozenset[str]:
    """The names of the tensors of a file that arrays see."""
    values = (node.value for node in in_rows(tree) if isinstance(node, ast.Assign))
    return frozenset(name for value in values if (name := _array_of(value)) is not None)


def _arrays(around: ast.AST, name: str) -> Iterator[tuple[ast.Assign, str]]:
    """The statements that give an array of the tensor's memory a name, with that name."""
    for statement in in_rows(around):
        if isinstance(statement, ast.Assign) and _array_of(statement.value) == name:
            array = dotted(statement.targets[0])
            if array is not None:
                yield statement, array


def _array_of(value: ast.expr) -> str | None:
    """``t`` of ``t.numpy()``, ``t.detach().numpy()`` or ``np.asarray(t)``."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return None
    if value.func.attr in _ARRAYS and value.args:
        return dotted(value.args[0])
    tensor = value.func.value if value.func.attr == "numpy" and not value.args else None
    if isinstance(tensor, ast.Call) and getattr(tensor.func, "attr", "") == "detach":
        tensor = getattr(tensor.func, "value", None)
    return dotted(tensor) if isinstance(tensor, ast.expr) else None


def _is_array_written(outline: Outline, around: ast.AST, array: str) -> bool:
    return any(dotted(node) == array and is_written_at(outline, node) for node in in_rows(around))


def _is_tensor_written(outline: Outline, around: ast.AST, name: str, *, after: ast.Assign) -> bool:
    return any(
        dotted(node) == name and getattr(node, "lineno", 0) > after.lineno and is_written_at(outline, node)
        for node in in_rows(around)
    )
