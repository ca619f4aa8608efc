"""Whole batches: names of which a piece of code takes nothing but parts, so that whatever is in one stays in it.

``batch["x"]``, ``batch[0]`` and ``batch.x`` take a part; who gets the batch itself may move all of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.scope_names import DEFINITIONS, own_nodes
from devfix.analysis.syntax import called, remembered

if TYPE_CHECKING:
    from devfix.analysis.frames import Frame
    from devfix.source import Source

#: One of these is in the text of any code that moves a part.
_MOVES = (".to(", ".cuda(")
#: What looks at a collection and leaves it alone.
_LOOKS = frozenset({"len", "isinstance", "type", "print"})
_GETTERS = frozenset({"get", "keys"})


def is_taken_apart(frame: Frame, source: Source, name: str) -> bool:
    """Whether the code that has a name moves something, and takes nothing but parts of what is called so."""
    scope: ast.AST = frame.function.node if frame.function is not None else source.tree
    loop = next((each.node for each in reversed(frame.loops) if name in each.names), None)
    piece = scope if loop is None else loop
    first, last = getattr(piece, "lineno", 1), getattr(piece, "end_lineno", None) or len(source.lines)
    return source.has_one_between(_MOVES, first, last) and name not in _handed_on(piece)


@remembered
def _handed_on(piece: ast.AST) -> frozenset[str]:
    """The names in a piece of code whose values others get as a whole, or of which nobody knows which part is changed."""
    nodes = list(
        own_nodes([piece] if isinstance(piece, ast.stmt) else ast.iter_child_nodes(piece), DEFINITIONS)
    )
    apart = {base for node in nodes for base in _bases(node)}
    called_on = {base for node in nodes if isinstance(node, ast.Call) for base in _called_on(node.func)}
    names = (node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    return frozenset(node.id for node in names if node not in apart or node in called_on)


def _bases(node: ast.AST) -> Iterator[ast.expr]:
    """What a node takes a part of that is named, or looks at."""
    if isinstance(node, ast.Attribute):
        yield node.value
    elif isinstance(node, ast.Subscript):
        if isinstance(node.slice, ast.Constant):
            yield node.value
    elif isinstance(node, ast.Call):
        if called(node) in _LOOKS and isinstance(node.func, ast.Name):
            yield from node.args
    elif isinstance(node, ast.Compare) and all(isinstance(op, (ast.In, ast.NotIn)) for op in node.ops):
        yield from node.comparators


def _called_on(func: ast.expr) -> Iterator[ast.expr]:
    """What a method is called on that may change it."""
    if isinstance(func, ast.Attribute) and func.attr not in _GETTERS:
        yield func.value
