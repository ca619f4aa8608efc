"""Pointing: from the places a run reports to the nodes of the program's own syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import Span
from devfix.observation.index import Index
from devfix.observation.record import Made, Place
from devfix.observation.spots import Spot

#: Tells the path that the project uses for a file of the run, or None when it is none of its own.
Locate = Callable[[str], str | None]
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Pointer:
    """Finds nodes in the files of a program."""

    def __init__(self, facts: Facts, locate: Locate) -> None:
        self.facts = facts
        self.locate = locate
        self.index = Index(facts)

    def spot(self, place: Place | None, by: str = "") -> Spot | None:
        """The node whose execution a place is; where the columns are unknown, the statement.

        In a statement the call of what is called ``by`` is looked for.
        """
        path = self.locate(place.file) if place is not None and place.cell is None else None
        if place is None or path is None or path not in self.facts.program.sources:
            return None
        outline = self.facts.outline(path)
        node = _node(outline, place)
        if node is None:
            return None
        found = Spot(path, outline, node)
        return found.at(_call_in(found, by)) if by and place.column is None else found

    def made(self, made: Made | None) -> Spot | None:
        """The node that made something."""
        return self.spot(made.place, made.by) if made is not None else None


def _node(outline: Outline, place: Place) -> ast.AST | None:
    if place.column is None or place.end_column is None:
        return _statement_at(outline, place.line)
    span = Span(place.line, place.column, place.end_line, place.end_column)
    exact = [node for node in outline.nodes_at(span) if isinstance(node, (ast.expr, ast.stmt))]
    if exact:
        return exact[-1]
    # A method called on a line of its own is reported from its name on.
    same_end = [node for node in _expressions(outline) if _ends_with(outline, node, span)]
    around = same_end or [node for node in _nodes(outline) if outline.source.span(node).contains(span)]
    return min(around, key=lambda node: _size(outline.source.span(node)), default=None)


def _ends_with(outline: Outline, node: ast.AST, span: Span) -> bool:
    own = outline.source.span(node)
    return own.end == span.end and own.start <= span.start


def _statement_at(outline: Outline, line: int) -> ast.AST | None:
    """The innermost statement that a line belongs to."""
    found = [
        node
        for node in outline.parents
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return min(found, key=lambda node: _size(outline.source.span(node)), default=None)


def _nodes(outline: Outline) -> Iterator[ast.AST]:
    return (node for node in outline.parents if isinstance(node, (ast.expr, ast.stmt)))


def _expressions(outline: Outline) -> Iterator[ast.AST]:
    return (node for node in outline.parents if isinstance(node, ast.expr))


def _size(span: Span) -> tuple[int, int]:
    lines = span.end_line - span.line
    return lines, span.end_column - span.column


def _call_in(statement: Spot, by: str) -> ast.AST:
    """The one call in a statement of what is called ``by``, or the statement."""
    wanted = by.rpartition(".")[2].strip("_")
    calls = [node for node in expressions_on(statement) if isinstance(node, ast.Call)]
    named = [call for call in calls if wanted == getattr(call.func, "attr", getattr(call.func, "id", ""))]
    return named[0] if named else statement.node


def expressions_on(spot: Spot) -> list[ast.expr]:
    """The expressions that a statement itself evaluates, outermost first; bodies of blocks are not entered."""
    if isinstance(spot.node, ast.expr):
        return [spot.node]
    found: list[ast.expr] = []
    pending: list[ast.AST] = [spot.node]
    while pending:
        node = pending.pop(0)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                found.append(child)
            if not isinstance(child, (ast.stmt, *_FUNCTIONS)):
                pending.append(child)
    return found
