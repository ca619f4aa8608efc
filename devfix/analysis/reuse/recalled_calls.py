"""Recalled calls: calls that are known by their places, as those that the trees hold."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from devfix.analysis.record.recorder import OptionalCall, OptionalPlace
from devfix.analysis.text.syntax import in_rows

if TYPE_CHECKING:
    from devfix.source import Source

#: A node's kind, and where it stands as ``ast`` has it.
Spot = tuple[str, tuple[int, int, int, int]]


def place_of_call(call: OptionalCall) -> OptionalPlace:
    """A call by its places."""
    function = call.function
    return OptionalPlace(
        call.defined_in,
        getattr(function, "lineno", 0),
        getattr(function, "col_offset", 0),
        call.path,
        *_spot(call.node),
        call.positional,
        tuple(sorted(call.given)),
        call.is_open,
    )


def recalled_calls(
    places: Collection[OptionalPlace], sources: Mapping[str, Source]
) -> Iterator[OptionalCall]:
    """The calls at some places; the trees are looked through once."""
    wanted = {each.defined_in for each in places} | {each.path for each in places}
    found = {path: _Nodes(sources[path].tree) for path in wanted if path in sources}
    for each in places:
        function = (
            found[each.defined_in].functions.get((each.line, each.column))
            if each.defined_in in found
            else None
        )
        if function is None:
            continue
        node = found[each.path].expressions.get((each.kind, each.span)) if each.path in found else None
        yield OptionalCall(
            function,
            each.defined_in,
            each.path,
            node if node is not None else _unwritten(each.span),
            each.positional,
            frozenset(each.given),
            each.is_open,
        )


class _Nodes:
    """The functions and expressions of a tree by their places."""

    def __init__(self, tree: ast.Module) -> None:
        self.functions: dict[tuple[int, int], ast.AST] = {}
        self.expressions: dict[Spot, ast.expr] = {}
        for node in in_rows(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                self.functions.setdefault((node.lineno, node.col_offset), node)
            if isinstance(node, ast.expr):
                self.expressions.setdefault(_spot(node), node)


def _spot(node: ast.expr) -> Spot:
    end_line, end = node.end_lineno or node.lineno, node.end_col_offset or 0
    return type(node).__name__, (node.lineno, node.col_offset, end_line, end)


def _unwritten(span: tuple[int, int, int, int]) -> ast.expr:
    """What stands for a call that nobody wrote."""
    line, column, end_line, end = span
    return ast.Constant(None, lineno=line, col_offset=column, end_lineno=end_line, end_col_offset=end)
