"""Expressions of a statement: found by where `ast` sees them, each with the slot it stands in."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from devfix.findings import Span
from devfix.rewrite.error import EditError
from devfix.rewrite.outline import Outline, Row
from devfix.rewrite.precedence import Level, bare_level, required
from devfix.rewrite.tree import Tree, children

#: Names that are no expressions: (type of the parent, field of the parent).
_NO_EXPRESSION = frozenset(
    {
        (cst.Attribute, "attr"),
        (cst.Arg, "keyword"),
        (cst.Param, "name"),
        (cst.FunctionDef, "name"),
        (cst.ClassDef, "name"),
        (cst.NameItem, "name"),
        (cst.MatchKeywordElement, "key"),
    }
)
_LEFT_OUT = (
    cst.IndentedBlock,
    cst.SimpleStatementSuite,
    cst.Import,
    cst.ImportFrom,
    cst.BaseParenthesizableWhitespace,
)


@dataclass(eq=False)
class Expression:
    """An expression with its slot; ``start`` and ``end`` leave out the parentheses around it.

    The parentheses of a tuple or a generator are part of it, as `ast` has it.
    """

    node: cst.BaseExpression
    parent: cst.CSTNode
    field: str
    start: int
    end: int
    parens: tuple[int, int] | None
    call: cst.Call | None
    quotes: tuple[str, ...]

    @property
    def level(self) -> Level:
        """How tightly the text from ``start`` to ``end`` binds."""
        if isinstance(self.node, (cst.Tuple, cst.GeneratorExp)) and self.node.lpar:
            return Level.ATOM
        return bare_level(self.node)

    def required(self, *, alone: bool = True) -> Level:
        """The loosest level that the slot takes."""
        single = alone and self.call is not None and len(self.call.args) == 1
        return required(self.parent, self.field, alone=single)

    def is_statement(self) -> bool:
        """Whether the expression is a statement of its own."""
        return isinstance(self.parent, cst.Expr)


class Expressions:
    """The expressions of an outline, indexed row by row as they are asked for."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._tree = outline.tree
        self._rows: dict[Row, dict[tuple[int, int], Expression]] = {}
        self._by_node: dict[cst.CSTNode, Expression] = {}

    def at(self, span: Span) -> Expression:
        """The expression at ``span``; raises EditError where there is none."""
        region = self._tree.lines.region(span)
        row = self._outline.row_at(*region)
        found = self._index(row).get(region) if row else None
        if found is None:
            raise EditError(f"There is no expression at line {span.line}, column {span.column}.")
        return found

    def of(self, node: cst.CSTNode) -> Expression:
        """The expression that ``node`` is; its row has been asked for before."""
        return self._by_node[node]

    def part(self, row: Row, node: cst.CSTNode) -> Expression:
        """The expression that ``node``, somewhere in ``row``, is."""
        self._index(row)
        return self._by_node[node]

    def _index(self, row: Row) -> dict[tuple[int, int], Expression]:
        if row not in self._rows:
            index: dict[tuple[int, int], Expression] = {}
            for statement in row.statements:
                for expression in _Walk(self._tree).expressions(statement.node):
                    self._by_node[expression.node] = expression
                    index[_seen_by_ast(self._tree, expression)] = expression
            self._rows[row] = index
        return self._rows[row]


class _Walk:
    """Collects the expressions under a node, without those of the statements inside it."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def expressions(self, root: cst.CSTNode) -> list[Expression]:
        found: list[Expression] = []
        pending: list[tuple[cst.CSTNode, cst.Call | None, tuple[str, ...]]] = [(root, None, ())]
        while pending:
            parent, call, quotes = pending.pop()
            if isinstance(parent, cst.FormattedString):
                quotes = (*quotes, parent.end)
            for field, child in children(parent):
                if isinstance(child, _LEFT_OUT) or (type(parent), field) in _NO_EXPRESSION:
                    continue
                inner = call if isinstance(parent, cst.Arg) else None
                if isinstance(child, cst.BaseExpression):
                    found.append(self._expression(child, parent, field, inner, quotes))
                owner = parent if isinstance(parent, cst.Call) else None
                pending.append((child, owner, quotes))
        return found

    def _expression(
        self,
        node: cst.BaseExpression,
        parent: cst.CSTNode,
        field: str,
        call: cst.Call | None,
        quotes: tuple[str, ...],
    ) -> Expression:
        start, end = self._tree.start(node), self._tree.end(node)
        pairs = list(zip(reversed(node.lpar), node.rpar, strict=True))
        if isinstance(node, (cst.Tuple, cst.GeneratorExp)) and pairs:
            start, end = self._pair(*pairs.pop(0))
        parens = self._pair(*pairs[0]) if pairs else None
        return Expression(node, parent, field, start, end, parens, call, quotes)

    def _pair(self, left: cst.LeftParen, right: cst.RightParen) -> tuple[int, int]:
        return self._tree.start(left), self._tree.end(right)


def _seen_by_ast(tree: Tree, expression: Expression) -> tuple[int, int]:
    """The region by which `ast` knows an expression."""
    node, call = expression.node, expression.call
    if isinstance(node, cst.GeneratorExp) and not node.lpar and call is not None:
        return tree.start(call.whitespace_before_args) - 1, tree.end(call)
    return expression.start, expression.end
