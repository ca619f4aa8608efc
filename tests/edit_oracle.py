"""What edits mean for the syntax tree: an oracle for the rewrite that never looks at text."""

from __future__ import annotations

import ast
from collections.abc import Sequence

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

_PLACEHOLDER = "__operand__"


def spans(text: str) -> dict[Span, list[ast.AST]]:
    """The nodes of a text by their spans, in code points."""
    lines = _lines(text)
    found: dict[Span, list[ast.AST]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.expr, ast.stmt)):
            found.setdefault(span_of(node, lines), []).append(node)
    return found


def span_of(node: ast.expr | ast.stmt, lines: Sequence[str]) -> Span:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return Span(
        node.lineno,
        _column(lines[node.lineno - 1], node.col_offset),
        node.end_lineno,
        _column(lines[node.end_lineno - 1], node.end_col_offset),
    )


def _column(line: str, offset: int) -> int:
    return len(line.encode()[:offset].decode())


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def expected(text: str, edits: Sequence[Edit]) -> str:
    """The dump of the tree that the edits make of the text's tree."""
    tree = ast.parse(text)
    oracle = _Oracle(tree, _lines(text))
    for edit in dict.fromkeys(edits):
        oracle.take(edit)
    oracle.run()
    return dump(tree)


def dump(tree: ast.AST) -> str:
    """A dump in which the order of named keywords in a call does not count."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            node.keywords.sort(key=lambda keyword: (keyword.arg is None, keyword.arg or ""))
    return ast.dump(tree)


class _Oracle:
    def __init__(self, tree: ast.Module, lines: list[str]) -> None:
        self.tree = tree
        self.expressions: dict[Span, ast.expr] = {}
        self.statements: dict[tuple[int, int], ast.stmt] = {}
        self.bodies: dict[tuple[int, int], list[ast.stmt]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.expr):
                self.expressions.setdefault(span_of(node, lines), node)
            elif isinstance(node, ast.stmt):
                self.statements[span_of(node, lines).start] = node
                if isinstance(body := getattr(node, "body", None), list):
                    self.bodies[span_of(node, lines).start] = body
        self.on_expression: dict[int, list[Edit]] = {}
        self.on_statement: dict[int, list[Edit]] = {}
        self.tops: dict[int, list[ast.stmt]] = {}
        self.before: dict[int, list[ast.stmt]] = {}
        self.after: dict[int, list[ast.stmt]] = {}
        self.gone: set[int] = set()
        self.idle: set[int] = set()
        self.module_code: list[Edit] = []

    def take(self, edit: Edit) -> None:
        match edit:
            case InsertBefore(span, code):
                self.before.setdefault(id(self.statement(span)), []).extend(ast.parse(code).body)
            case InsertAfter(span, code):
                self.after.setdefault(id(self.statement(span)), []).extend(ast.parse(code).body)
            case InsertAtBodyStart(span, code):
                self.tops.setdefault(id(self.bodies[span.start]), []).extend(ast.parse(code).body)
            case DeleteStatement(span):
                self.gone.add(id(self.statement(span)))
            case MoveStatement(span, after, before):
                self._move(self.statement(span), after, before)
            case BindResult(span) | AssignmentToCall(span):
                self.on_statement.setdefault(id(self.statement(span)), []).append(edit)
            case AddParameter(span, name, value):
                _add_parameter(self.statement(span), name, value)
            case InsertAfterImports() | AddImport():
                self.module_code.append(edit)
            case _:
                self.on_expression.setdefault(id(self.expressions[edit.span]), []).append(edit)
                if isinstance(edit, DropCall):
                    self._drop_statement(edit.span)

    def statement(self, span: Span) -> ast.stmt:
        return self.statements[span.start]

    def _move(self, statement: ast.stmt, after: Span | None, before: Span | None) -> None:
        target = after or before
        assert target is not None
        places = self.after if after else self.before
        places.setdefault(id(self.statement(target)), []).append(statement)
        self.gone.add(id(statement))

    def _drop_statement(self, span: Span) -> None:
        statement = self.statements.get(span.start)
        if isinstance(statement, ast.Expr) and statement.value is self.expressions[span]:
            assert isinstance(statement.value, ast.Call)
            assert isinstance(statement.value.func, ast.Attribute)
            base = statement.value.func.value
            while isinstance(base, (ast.Attribute, ast.Subscript)):
                base = base.value
            if isinstance(base, ast.Name):
                self.idle.add(id(statement))

    def _binds_itself(self, statement: ast.stmt) -> bool:
        """Whether dropped calls leave ``x = x`` or ``x, y = x, y``, of which nothing else was changed."""
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return False
        edits = [edit for node in ast.walk(statement) for edit in self.on_expression.get(id(node), [])]
        target, value = statement.targets[0], statement.value
        several = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
        names = target.elts if several and isinstance(target, ast.Tuple) else [target]
        values = value.elts if several and isinstance(value, ast.Tuple) else [value]
        changed = any(isinstance(edit, (WrapExpression, ReplaceExpression)) for edit in edits)
        return (
            not changed
            and any(isinstance(edit, DropCall) for edit in edits)
            and len(names) == len(values)
            and all(self._is_left_as(*pair) for pair in zip(names, values, strict=True))
        )

    def _is_left_as(self, name: ast.expr, value: ast.expr) -> bool:
        left = value
        while isinstance(left, ast.Call) and self.on_expression.get(id(left)):
            if not any(isinstance(edit, DropCall) for edit in self.on_expression[id(left)]):
                return False
            assert isinstance(left.func, ast.Attribute)
            left = left.func.value
        base = left
        while isinstance(base, (ast.Attribute, ast.Subscript)):
            base = base.value
        return isinstance(base, ast.Name) and ast.unparse(left) == ast.unparse(name)

    def run(self) -> None:
        self.gone |= self.idle - self.on_statement.keys()
        self.gone |= {id(each) for each in self.statements.values() if self._binds_itself(each)}
        # Bodies are known by identity, so they are rebuilt in place.
        self._block(self.tree.body, is_module=True)

    def _block(self, body: list[ast.stmt], *, is_module: bool = False) -> None:
        tops = self.tops.get(id(body), [])
        old = list(body)
        first = 1 if old and isinstance(old[0], ast.Expr) and _is_text(old[0].value) and tops else 0
        new: list[ast.stmt] = []
        for number, statement in enumerate(old):
            if number == first:
                new += tops
            if id(statement) in self.gone and not self._stays(statement):
                continue
            new += self._with_surroundings(statement, gone=id(statement) in self.gone)
        if first >= len(old):
            new += tops
        body[:] = new or ([] if is_module else [ast.Pass()])

    def _stays(self, statement: ast.stmt) -> bool:
        """Whether what surrounds a statement stays when it goes: not when it moves."""
        placed = [*self.before.values(), *self.after.values()]
        return not any(item is statement for items in placed for item in items)

    def _with_surroundings(self, statement: ast.stmt, *, gone: bool) -> list[ast.stmt]:
        before = [each for item in self.before.get(id(statement), []) for each in self._placed(item)]
        after = [each for item in self.after.get(id(statement), []) for each in self._placed(item)]
        own = [] if gone else [self._statement(statement)]
        return [*before, *own, *after]

    def _placed(self, item: ast.stmt) -> list[ast.stmt]:
        if id(item) in self.gone:
            return self._with_surroundings(item, gone=False)
        return [item]

    def _statement(self, statement: ast.stmt) -> ast.stmt:
        for name, value in list(ast.iter_fields(statement)):
            self._field(statement, name, value)
        for edit in self.on_statement.get(id(statement), []):
            return _statement_of(edit, statement)
        return statement

    def _field(self, node: ast.AST, name: str, value: object) -> None:
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            self._block(value)
        elif isinstance(value, list):
            value[:] = [self._node(item) if isinstance(item, ast.AST) else item for item in value]
        elif isinstance(value, ast.AST):
            setattr(node, name, self._node(value))

    def _node(self, node: ast.AST) -> ast.AST:
        for name, value in list(ast.iter_fields(node)):
            self._field(node, name, value)
        result: ast.AST = node
        edits = self.on_expression.get(id(node), [])
        for edit in sorted(edits, key=lambda edit: isinstance(edit, WrapExpression)):
            result = _changed(result, edit)
        return result


def _add_parameter(function: ast.stmt, name: str, value: str) -> None:
    """Put a parameter behind all others that are given by position, or among those that are not where there are such."""
    assert isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
    spec = function.args
    if spec.vararg is not None or spec.kwonlyargs:
        spec.kwonlyargs.append(ast.arg(name))
        spec.kw_defaults.append(_expression(value))
    else:
        spec.args.append(ast.arg(name))
        spec.defaults.append(_expression(value))


def _statement_of(edit: Edit, statement: ast.stmt) -> ast.stmt:
    """The statement that takes the place of another."""
    if isinstance(edit, BindResult):
        assert isinstance(statement, ast.Expr)
        bound = ast.parse(f"{edit.target} = 0").body[0]
        assert isinstance(bound, ast.Assign)
        bound.value = statement.value
        return bound
    assert isinstance(edit, AssignmentToCall)
    assert isinstance(statement, (ast.Assign, ast.AnnAssign))
    assert statement.value is not None
    return ast.Expr(_wrapped(statement.value, edit.prefix, edit.suffix))


def _wrapped(node: ast.expr, prefix: str, suffix: str) -> ast.expr:
    whole = _Substitute(node).visit(_expression(f"{prefix}{_PLACEHOLDER}{suffix}"))
    assert isinstance(whole, ast.expr)
    return whole


def _changed(node: ast.AST, edit: Edit) -> ast.AST:
    match edit:
        case WrapExpression(_, prefix, suffix):
            assert isinstance(node, ast.expr)
            return _wrapped(node, prefix, suffix)
        case ReplaceExpression(_, code):
            return _expression(code)
        case DropCall():
            assert isinstance(node, ast.Call)
            assert isinstance(node.func, ast.Attribute)
            return node.func.value
        case SetKeyword(_, name, value):
            assert isinstance(node, ast.Call)
            kept = [keyword for keyword in node.keywords if keyword.arg != name]
            node.keywords = [*kept, ast.keyword(name, _expression(value))]
        case RemoveKeyword(_, name):
            assert isinstance(node, ast.Call)
            node.keywords = [keyword for keyword in node.keywords if keyword.arg != name]
    return node


class _Substitute(ast.NodeTransformer):
    def __init__(self, operand: ast.expr) -> None:
        self._operand = operand

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._operand if node.id == _PLACEHOLDER else node


def _expression(code: str) -> ast.expr:
    return ast.parse(code, mode="eval").body


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
