"""Method calls taken away, with their receivers left in place."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from devfix.rewrite.error import EditError
from devfix.rewrite.expression import Expression, Expressions
from devfix.rewrite.patch import Patch
from devfix.rewrite.plan import Plan
from devfix.rewrite.tree import Tree


@dataclass
class Dropping:
    """The method calls of one text that are to go."""

    tree: Tree
    expressions: Expressions
    calls: dict[cst.CSTNode, Expression] = field(default_factory=dict)

    def add(self, expression: Expression) -> None:
        """Take the call ``expression`` away."""
        node = expression.node
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
            raise EditError(f"`{self.tree.source(node)}` is no call of a method.")
        self.calls[node] = expression

    def patches(self, plan: Plan) -> list[Patch]:
        """The removals; a statement of which nothing useful is left goes as a whole."""
        gone = self._whole_statements(plan)
        return [
            self._removal(call)
            for call, expression in self.calls.items()
            if not any(start <= expression.start < end for start, end in gone)
        ]

    def _whole_statements(self, plan: Plan) -> list[tuple[int, int]]:
        gone: list[tuple[int, int]] = []
        for expression in self.calls.values():
            statement = plan.outline.by_start.get(expression.start)
            if expression.is_statement() and statement and self._is_idle(expression.node):
                plan.delete(statement)
                gone.append((statement.start, statement.end))
        return gone

    def _is_idle(self, node: cst.BaseExpression) -> bool:
        """Whether nothing happens when what is left of an expression is evaluated."""
        while node in self.calls:
            node = _receiver(node)
        while isinstance(node, (cst.Attribute, cst.Subscript)):
            node = node.value
        return isinstance(node, cst.Name)

    def _removal(self, call: cst.CSTNode) -> Patch:
        receiver = _receiver(call)
        start = self.tree.end(receiver.rpar[-1] if receiver.rpar else receiver)
        return Patch(start, self.tree.end(call), "")


def _receiver(call: cst.CSTNode) -> cst.BaseExpression:
    assert isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute)
    return call.func.value
