"""Sighting: an observed mismatch with its place in the program, and how its operands are written there."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from devfix.analysis.text.syntax import first_name
from devfix.findings import Span
from devfix.observation.bindings import binding_of
from devfix.observation.lives import Lives
from devfix.observation.parts import Candidate, best_sink, matched, parts_of
from devfix.observation.pointing import Pointer, expressions_on
from devfix.observation.record import ObservedMismatch
from devfix.observation.spots import Spot

_WHOLE_STATEMENTS = (ast.AugAssign, ast.For, ast.AsyncFor)


@dataclass(frozen=True, slots=True)
class Sighting:
    """What was observed, the operation's node, and the expressions of the operands (by number) that can be told."""

    observed: ObservedMismatch
    sink: Spot
    nodes: dict[int, ast.expr]
    lives: Lives

    @property
    def names(self) -> dict[str, str]:
        """What the names of the sink's frame stand for."""
        return dict(self.observed.names[-1]) if self.observed.names else {}

    def is_bound(self, node: ast.expr) -> bool:
        """Whether an expression begins with a name that is bound to a value, not to a module of Python's."""
        root = first_name(node)
        return root != "" and binding_of(root, self.sink) is not None

    def what_is_at(self, span: Span) -> str:
        """What the expression at a span of the sink's file stands for; "" when that was not seen."""
        node = self.sink.outline.expression_at(span)
        return self.what_is(node) if node is not None else ""

    def what_is(self, node: ast.expr) -> str:
        """What an expression of the sink's frame stands for; "" when that was not seen."""
        return self.names.get(ast.unparse(node), "")


def sighted(observed: ObservedMismatch, pointer: Pointer) -> Sighting | None:
    """Where in the program a mismatch was seen; None when it was not in the program's own files."""
    sink = pointer.spot(observed.sink)
    if sink is None:
        return None
    names = dict(observed.names[-1]) if observed.names else {}
    candidates = [Candidate(operand, pointer.made(operand.made)) for operand in observed.operands]
    if isinstance(sink.node, ast.stmt):
        sink = _operation(sink, observed, candidates, names)
    found = matched(parts_of(sink.node, sink.outline), candidates, names, sink)
    return Sighting(observed, sink, found, Lives(pointer, observed))


def _operation(
    statement: Spot, observed: ObservedMismatch, candidates: list[Candidate], names: dict[str, str]
) -> Spot:
    """The operation of a statement: itself, where that was executed as a whole, or one of its expressions."""
    whole = isinstance(statement.node, _WHOLE_STATEMENTS)
    if whole and observed.sink is not None and observed.sink.column is not None:
        return statement
    nodes: list[ast.AST] = [*expressions_on(statement)]
    if whole or not nodes:
        nodes.append(statement.node)
    return statement.at(best_sink(nodes, candidates, names, statement))
