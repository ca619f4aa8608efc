"""Method calls taken away, with their receivers left in place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst

from devfix.rewrite.error import EditError
from devfix.rewrite.expression import Expression
from devfix.rewrite.outline import Statement
from devfix.rewrite.patch import Patch
from devfix.rewrite.plan import Plan
from devfix.rewrite.precedence import bare_level
from devfix.rewrite.snippet import Snippet
from devfix.rewrite.tree import Tree, children


@dataclass(frozen=True)
class MethodCall:
    """A call ``receiver.method(...)`` and the offsets that matter when all but the receiver goes."""

    tree: Tree
    node: cst.Call
    attribute: cst.Attribute

    @property
    def receiver(self) -> cst.BaseExpression:
        """The expression that stays."""
        return self.attribute.value

    @property
    def start(self) -> int:
        """Where the receiver ends, with its parentheses."""
        node = self.receiver
        return self.tree.end(node.rpar[-1] if node.rpar else node)

    @property
    def end(self) -> int:
        """Where the call ends."""
        return self.tree.end(self.node)

    @property
    def dot(self) -> int:
        """Where the dot is."""
        return self.tree.end(self.attribute.dot.whitespace_before)

    def comments(self, start: int) -> list[cst.Comment]:
        """The comments from ``start`` to the end of the call."""
        pending: list[cst.CSTNode] = [self.node]
        found: list[cst.Comment] = []
        while pending:
            parent = pending.pop()
            if isinstance(parent, cst.Comment) and self.tree.start(parent) >= start:
                found.append(parent)
            pending += [child for _, child in children(parent) if child is not self.receiver]
        return sorted(found, key=self.tree.start)


@dataclass
class Dropping:
    """The method calls of one text that are to go."""

    plan: Plan
    calls: dict[cst.CSTNode, tuple[Expression, MethodCall]] = field(default_factory=dict)

    def add(self, expression: Expression) -> None:
        """Take the call ``expression`` away; raises EditError for anything but a call of a method."""
        node, tree = expression.node, self.plan.outline.tree
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
            raise EditError(f"`{tree.source(node)}` is no call of a method.")
        self.calls[node] = (expression, MethodCall(tree, node, node.func))

    def patches(self, bound: frozenset[int], wrapped: frozenset[cst.CSTNode]) -> Iterator[Patch]:
        """The removals; a statement of which nothing useful is left goes as a whole.

        ``bound`` holds the starts of the statements whose result gets a name: these stay.
        ``wrapped`` holds the expressions that need the parentheses they have.
        """
        gone = [statement for statement in self._idle_statements(wrapped) if statement.start not in bound]
        for statement in gone:
            self.plan.delete(statement)
        for expression, call in self.calls.values():
            if not any(item.start <= expression.start < item.end for item in gone):
                yield from self._removal(call)
                if call.receiver not in wrapped:
                    yield from self._spare_parentheses(expression, call)

    def _idle_statements(self, wrapped: frozenset[cst.CSTNode]) -> Iterator[Statement]:
        for expression, call in self.calls.values():
            statement = self.plan.outline.by_start.get(expression.start)
            if expression.is_statement() and statement and self._is_idle(call.node):
                yield statement
        for _, call in self.calls.values():
            statement = self._statement(call)
            if isinstance(statement.node, cst.Assign) and self._binds_itself(
                call.tree, statement.node, wrapped
            ):
                yield statement

    def _binds_itself(self, tree: Tree, node: cst.Assign, wrapped: frozenset[cst.CSTNode]) -> bool:
        """Whether ``x = x`` or ``x, y = x, y`` is left of an assignment."""
        targets = [target.target for target in node.targets]
        if len(targets) != 1 or _has_any(node, wrapped):
            return False
        pairs: list[tuple[cst.BaseExpression, cst.BaseExpression]] = [(targets[0], node.value)]
        if isinstance(targets[0], cst.Tuple) and isinstance(node.value, cst.Tuple):
            names, values = targets[0].elements, node.value.elements
            if len(names) != len(values):
                return False
            pairs = [(name.value, value.value) for name, value in zip(names, values, strict=True)]
        return all(
            self._is_idle(value) and tree.source(self._left_of(value)) == tree.source(name)
            for name, value in pairs
        )

    def _left_of(self, node: cst.BaseExpression) -> cst.BaseExpression:
        while node in self.calls:
            node = self.calls[node][1].receiver
        return node

    def _is_idle(self, node: cst.BaseExpression) -> bool:
        """Whether nothing happens when what is left of an expression is evaluated."""
        node = self._left_of(node)
        while isinstance(node, (cst.Attribute, cst.Subscript)):
            node = node.value
        return isinstance(node, cst.Name)

    def _removal(self, call: MethodCall) -> Iterator[Patch]:
        if call.attribute.lpar:
            receiver = call.receiver.lpar[0] if call.receiver.lpar else call.receiver
            start = call.tree.start(call.attribute.lpar[0])
            yield Patch(start, call.tree.start(receiver), "")
        start, end = self._extent(call)
        comments = call.comments(start)
        if len(comments) == 1 and end == call.end and self._ends_line(end):
            yield Patch(start, end, f"  {comments[0].value}")
            return
        yield Patch(start, end, "")
        for comment in comments:
            statement = self._statement(call)
            self.plan.before[statement].append(Snippet(comment.value))

    def _spare_parentheses(self, expression: Expression, call: MethodCall) -> Iterator[Patch]:
        """Those around the receiver, when what is left is an argument of its own."""
        node, tree = call.receiver, call.tree
        if not isinstance(expression.parent, cst.Arg) or len(node.lpar) != 1 or call.node.lpar:
            return
        if bare_level(node) < expression.required(alone=False):
            return
        start, end = tree.start(node.lpar[0]), tree.end(node.rpar[0])
        if tree.lines.line_of(start) == tree.lines.line_of(end):
            yield Patch(start, tree.start(node), "")
            yield Patch(tree.end(node), end, "")

    def _extent(self, call: MethodCall) -> tuple[int, int]:
        """What to take away; a comment behind the receiver stays where it is."""
        text, lines = call.tree.text, call.tree.lines
        if "#" not in text[call.start : call.dot]:
            return call.start, call.end
        if self._ends_line(call.end):
            return lines.start_of_line(call.dot), lines.start_of_next_line(call.end)
        rest = text[call.end : lines.start_of_next_line(call.end)]
        spaces = len(rest) - len(rest.lstrip(" \t")) if rest.lstrip(" \t").startswith("#") else 0
        return call.dot, call.end + spaces

    def _ends_line(self, offset: int) -> bool:
        tree = self.plan.outline.tree
        return not tree.text[offset : tree.lines.start_of_next_line(offset)].strip()

    def _statement(self, call: MethodCall) -> Statement:
        row = self.plan.outline.row_at(call.start, call.end)
        assert row is not None  # noqa: S101 - the call was found in a row
        return next(item for item in reversed(row.statements) if item.start <= call.start)


def _has_any(node: cst.CSTNode, wanted: frozenset[cst.CSTNode]) -> bool:
    return node in wanted or any(_has_any(child, wanted) for _, child in children(node))
