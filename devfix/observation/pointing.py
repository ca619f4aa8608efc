"""Pointing: from the places a run reports to the nodes of the program's own syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from devfix.analysis.facts import Facts
from devfix.analysis.outline import Outline
from devfix.findings import Origin, Span
from devfix.observation.record import Place

#: Longer texts are cut in messages.
_MAX_TEXT = 60

#: Tells the path that the project uses for a file of the run, or None when it is none of its own.
Locate = Callable[[str], str | None]
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True, slots=True)
class Spot:
    """A node of a file of the program."""

    path: str
    outline: Outline
    node: ast.AST

    def at(self, node: ast.AST) -> Spot:
        """Another node of the same file."""
        return Spot(self.path, self.outline, node)

    @property
    def span(self) -> Span:
        """Where the node stands."""
        return self.outline.source.span(self.node)

    @property
    def text(self) -> str:
        """The node's source on one line, shortened."""
        words = " ".join(self.outline.source.segment(self.span).split())
        return words if len(words) <= _MAX_TEXT else words[: _MAX_TEXT - 1] + "…"

    @property
    def scope(self) -> str:
        """The qualified name of the function around the node, as the analysis spells it."""
        return self.outline.scopes(self.node)[0]

    def origin(self, kind: str, text: str | None = None) -> Origin:
        """The spot as a place in the life of a value."""
        return Origin(kind, self.path, self.span, self.text if text is None else text, self.scope)


class Pointer:
    """Finds nodes in the files of a program."""

    def __init__(self, facts: Facts, locate: Locate) -> None:
        self.facts = facts
        self.locate = locate

    def spot(self, place: Place | None) -> Spot | None:
        """The node whose execution a place is; where the columns are unknown, the statement."""
        path = self.locate(place.file) if place is not None and place.cell is None else None
        if place is None or path is None or path not in self.facts.program.sources:
            return None
        outline = self.facts.outline(path)
        node = _node(outline, place)
        return Spot(path, outline, node) if node is not None else None


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
