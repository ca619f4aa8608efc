"""Takes edits, finds their places in a text, and writes the text that they make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import lru_cache

import libcst as cst

from devfix.findings import (
    AddImport,
    AddParameter,
    AssignmentToCall,
    BindResult,
    DeleteStatement,
    DropCall,
    Edit,
    InsertAfter,
    InsertAfterImports,
    InsertAtBodyStart,
    InsertBefore,
    MoveStatement,
    RemoveKeyword,
    ReplaceExpression,
    SetKeyword,
    Span,
    WrapExpression,
)
from devfix.rewrite.arguments import Arguments
from devfix.rewrite.dropping import Dropping
from devfix.rewrite.error import EditError
from devfix.rewrite.expression import Expression, Expressions
from devfix.rewrite.imports import Imports
from devfix.rewrite.lines import newline_of
from devfix.rewrite.operand import Operand, level_of
from devfix.rewrite.outline import Outline
from devfix.rewrite.parameters import Parameters
from devfix.rewrite.patch import Copier, Patch, Side
from devfix.rewrite.plan import Plan
from devfix.rewrite.precedence import Level
from devfix.rewrite.rendering import Renderer
from devfix.rewrite.tree import Tree, parse_python

_BYTE_ORDER_MARK = "\ufeff"


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """The text with every edit made; spans are those of ``text``, as `ast` reports them.

    Raises :class:`EditError` when an edit has no place in the text, when two edits change the
    same place, or when the result does not parse.
    """
    if not edits:
        return text
    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    body = text[len(mark) :]
    # A last line without its newline is given one for the time being, so that all lines are alike.
    missing = "" if not body or body.endswith(("\n", "\r")) else newline_of(body)
    newline = newline_of(body)
    result = _Application(body + missing, newline, edits).run(edits)
    if missing:
        result = result.removesuffix(newline)
    _check(result)
    return mark + result


@lru_cache(maxsize=2)
def _tree(text: str, touched: frozenset[Span]) -> Tree:
    """The tree of a text, kept for whoever has other edits of it next: it takes most of the time."""
    return Tree(text, tuple(touched))


def _spans(edit: Edit) -> Iterator[Span]:
    values = (getattr(edit, each.name) for each in fields(edit))
    return (value for value in values if isinstance(value, Span))


def _check(text: str) -> None:
    try:
        parse_python(text)
    except EditError as error:
        raise EditError(f"The edits do not fit together. {error}") from error


class _Application:
    """One text and the edits it has taken so far."""

    def __init__(self, text: str, newline: str, edits: Sequence[Edit]) -> None:
        self._tree = _tree(text, frozenset(span for edit in edits for span in _spans(edit)))
        self._newline = newline
        self._plan = Plan(Outline(self._tree))
        self._expressions = Expressions(self._plan.outline)
        self._imports = Imports(self._plan, newline)
        self._dropping = Dropping(self._plan)
        self._operands: dict[Expression, Operand] = {}
        self._calls: dict[Expression, Arguments] = {}
        self._functions: dict[int, Parameters] = {}
        self._bindings: dict[int, str] = {}
        self._handed_over: dict[int, list[Patch]] = {}

    def run(self, edits: Sequence[Edit]) -> str:
        """The text after all edits; raises EditError where two of them do not go together."""
        for edit in sorted(dict.fromkeys(edits), key=lambda edit: getattr(edit, "rank", 0)):
            self._add(edit)
        self._imports.settle()
        for span in (span for edit in edits if (span := getattr(edit, "span", None)) is not None):
            if self._imports.come_too_late(span.line):
                raise EditError(f"Line {span.line} has an import and what needs the code behind the imports.")
        copier = Copier(self._tree, [*self._patches()])
        return Renderer(self._plan, copier, self._newline).text()

    def _add(self, edit: Edit) -> None:
        match edit:
            case WrapExpression(span):
                self._operand(self._expressions.at(span)).wraps.append(edit)
            case ReplaceExpression(span, code):
                self._operand(self._expressions.at(span)).replace(code)
            case SetKeyword(span, name, value):
                self._arguments(span).set(name, value)
            case RemoveKeyword(span, name):
                self._arguments(span).remove(name)
            case AddParameter(span, name, value):
                self._parameters(span).add(name, value)
            case DropCall(span):
                self._dropping.add(self._expressions.at(span))
            case BindResult(span, target):
                self._bind(span, target)
            case AssignmentToCall(span, prefix, suffix):
                self._hand_over(span, prefix, suffix)
            case InsertAfterImports() | AddImport():
                self._imports.add(edit)
            case InsertBefore() | InsertAfter() | InsertAtBodyStart():
                self._plan.add(edit)
            case DeleteStatement() | MoveStatement():
                self._plan.add(edit)

    def _operand(self, expression: Expression) -> Operand:
        return self._operands.setdefault(expression, Operand(expression))

    def _arguments(self, span: Span) -> Arguments:
        expression = self._expressions.at(span)
        call = expression.node
        if not isinstance(call, cst.Call):
            raise EditError(f"There is no call at line {span.line}, column {span.column}.")
        fresh = Arguments(self._tree, call, self._newline)
        return self._calls.setdefault(expression, fresh)

    def _parameters(self, span: Span) -> Parameters:
        statement = self._plan.statement(span)
        if not isinstance(statement.node, cst.FunctionDef):
            raise EditError(f"There is no function at line {span.line}, column {span.column}.")
        fresh = Parameters(self._tree, statement.node, self._newline)
        return self._functions.setdefault(statement.start, fresh)

    def _bind(self, span: Span, target: str) -> None:
        statement = self._plan.statement(span)
        if not isinstance(statement.node, cst.Expr):
            raise EditError(f"The statement in line {span.line} has no result to bind.")
        level_of(target)
        if self._bindings.setdefault(statement.start, target) != target:
            raise EditError(f"The result in line {span.line} is to be bound twice.")

    def _hand_over(self, span: Span, prefix: str, suffix: str) -> None:
        statement = self._plan.statement(span)
        node = statement.node
        single = isinstance(node, cst.AnnAssign) or (isinstance(node, cst.Assign) and len(node.targets) == 1)
        given = node.value if isinstance(node, (cst.Assign, cst.AnnAssign)) and single else None
        if given is None:
            raise EditError(f"The statement in line {span.line} does not assign to one target.")
        if statement.start in self._handed_over:
            raise EditError(f"The value in line {span.line} is to be handed over twice.")
        value = self._expressions.part(statement.row, given)
        start, end = value.parens or (value.start, value.end)
        if not value.parens and value.level < Level.EXPRESSION:
            prefix, suffix = prefix + "(", ")" + suffix
        self._handed_over[statement.start] = [
            Patch(statement.start, start, prefix),
            Patch(end, end, suffix, Side.CLOSING, 1),
        ]

    def _patches(self) -> Iterator[Patch]:
        yield from self._dropping.patches(frozenset(self._bindings), self._wrapped())
        for call in self._calls.values():
            yield from call.patches()
            self._part_generator(call)
        for function in self._functions.values():
            yield from function.patches()
        for operand in self._operands.values():
            yield from operand.patches(self._tree.text, self._newline)
        for start, target in self._bindings.items():
            yield Patch(start, start, f"{target} = ", Side.BINDING)
        for patches in self._handed_over.values():
            yield from patches
        yield from self._imports.patches()

    def _wrapped(self) -> frozenset[cst.CSTNode]:
        return frozenset(operand.expression.node for operand in self._operands.values())

    def _part_generator(self, call: Arguments) -> None:
        """Have a generator that was the only argument get parentheses of its own."""
        if call.grows and len(call.call.args) == 1:
            self._operand(self._expressions.of(call.call.args[0].value)).alone = False
