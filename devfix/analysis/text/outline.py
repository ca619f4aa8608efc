"""Outline: finding one's way in a file's syntax tree, from positions to statements and scopes."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from devfix.analysis.text.nodes_below import below
from devfix.analysis.text.scope_names import ScopeNames, positional_of, variables_of
from devfix.analysis.text.syntax import first_line, in_rows
from devfix.findings import Span
from devfix.source import Source

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_BLOCKS = ("body", "orelse", "finalbody")


def _reaches(node: ast.AST, line: int) -> bool:
    """Whether a node may have one in it that begins in a line; some have no place, decorators stand before theirs."""
    first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
    if first is None or last is None:
        return True
    return (first <= line or bool(getattr(node, "decorator_list", ()))) and line <= last


def _spelling(node: ast.AST) -> str | None:
    """The name by which something is defined, or spoken of."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.arg):
        return node.arg
    return node.name if isinstance(node, _DEFINITIONS) else None


class _Rows:
    """The outermost statements of a file by line, of which there may be thousands."""

    def __init__(self, tree: ast.Module) -> None:
        self._body = tree.body
        self._first = [first_line(each) for each in tree.body]

    def at(self, line: int) -> list[ast.stmt]:
        """The statements, in order, that a line belongs to: several, where semicolons part them."""
        end = start = bisect_right(self._first, line)
        while start and line <= (self._body[start - 1].end_lineno or line):
            start -= 1
        return self._body[start:end]


class _Parents(dict[ast.AST, ast.AST]):
    """Each node's parent; who asks for one learns those of a whole statement of the text, who goes through them all."""

    def __init__(self, tree: ast.Module, rows: _Rows) -> None:
        super().__init__()
        self._tree = tree
        self._rows = rows
        self._is_whole = False

    def __missing__(self, node: ast.AST) -> ast.AST:
        if node is self._tree:
            raise KeyError(node)
        for each in self._rows.at(getattr(node, "lineno", 0)):
            self[each] = self._tree
            self._learn(each)
        if node not in self:
            self._learn_all()
        if node not in self:
            raise KeyError(node)
        return self[node]

    def __iter__(self) -> Iterator[ast.AST]:
        self._learn_all()
        return super().__iter__()

    def get(self, node: ast.AST, default: Any = None) -> Any:
        try:
            return self[node]
        except KeyError:
            return default

    def _learn_all(self) -> None:
        if not self._is_whole:
            self.clear()
            self._learn(self._tree)
            self._is_whole = True

    def _learn(self, top: ast.AST) -> None:
        level = [top]
        while level:
            deeper: list[ast.AST] = []
            for node in level:
                children = below(node)
                self.update(dict.fromkeys(children, node))
                deeper += children
            level = deeper


class Outline:
    """Parents, positions and blocks of one file. Built only for files that have findings."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._names: dict[ast.AST, ScopeNames] = {}
        self._occurrences: dict[ast.AST, dict[str, list[ast.Name]]] = {}
        self._at: dict[Span, list[ast.AST]] = {}
        self._seen: set[int] = set()
        self._stands: dict[ast.AST, tuple[list[ast.stmt], int]] = {}

    def mentions(self, name: str) -> Sequence[ast.AST]:
        """The names and attributes of a file that are spelt so, and the parameters and definitions, the outer ones first."""
        return self._mentions.get(name, ())

    def calls(self, name: str) -> Iterator[ast.Call]:
        """The calls of what is called so: of a function, a class or a method."""
        for node in self.mentions(name):
            call = self.parents.get(node)
            if isinstance(call, ast.Call) and call.func is node:
                yield call

    @cached_property
    def functions(self) -> frozenset[str]:
        """The names of the functions and methods that are defined in a file, wherever they stand in it."""
        return frozenset(
            name
            for name, found in self._mentions.items()
            if any(isinstance(node, _FUNCTIONS) for node in found)
        )

    @cached_property
    def _mentions(self) -> dict[str, list[ast.AST]]:
        found: dict[str, list[ast.AST]] = {}
        level: list[ast.AST] = [self.source.tree]
        while level:
            for node in level:
                name = _spelling(node)
                if name is not None:
                    found.setdefault(name, []).append(node)
            level = [inner for node in level for inner in below(node)]
        return found

    def names_in(self, scope: ast.FunctionDef | ast.AsyncFunctionDef | ast.Module) -> ScopeNames:
        """What the statements of a scope bind."""
        found = self._names.get(scope)
        if found is None:
            found = self._names[scope] = ScopeNames(scope.body)
        return found

    def occurrences(self, scope: ast.AST, name: str) -> Sequence[ast.Name]:
        """Where a name stands in a piece of code, and in the scopes within."""
        known = self._occurrences.get(scope)
        if known is None:
            known = self._occurrences[scope] = {}
            for node in in_rows(scope):
                if isinstance(node, ast.Name):
                    known.setdefault(node.id, []).append(node)
        return known.get(name, ())

    @cached_property
    def variables(self) -> frozenset[str]:
        """Every name that some scope of the file binds or reads."""
        return frozenset(variables_of(self.source.tree))

    @cached_property
    def imports_all(self) -> bool:
        """Whether the file imports all names of some module, whichever these are."""
        return any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in self.source.tree.body)

    @cached_property
    def aliases(self) -> dict[str, str]:
        """What the names that the file gives to what it imports from modules are called there."""
        imported = (node for node in self.source.tree.body if isinstance(node, ast.ImportFrom))
        return {alias.asname: alias.name for node in imported for alias in node.names if alias.asname}

    @cached_property
    def imported(self) -> dict[str, str]:
        """The names that the file's import statements bind, and what each stands for."""
        found: dict[str, str] = {}
        for node in self.source.tree.body:
            if isinstance(node, ast.Import):
                for each in node.names:
                    found[each.asname or each.name.partition(".")[0]] = (
                        each.name if each.asname else each.name.partition(".")[0]
                    )
            elif isinstance(node, ast.ImportFrom):
                for each in node.names:
                    found[each.asname or each.name] = f"{'.' * node.level}{node.module or ''}.{each.name}"
        return found

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """Each node's parent."""
        return _Parents(self.source.tree, self._rows)

    @cached_property
    def _rows(self) -> _Rows:
        return _Rows(self.source.tree)

    def nodes_at(self, span: Span) -> Sequence[ast.AST]:
        """The nodes that stand exactly at ``span``, outermost first."""
        found = self._at.get(span)
        if found is None:
            # One line may hold a whole program, and is gone through once.
            self._look_at(span.line)
            found = self._at.setdefault(span, [])
        return found

    def _look_at(self, line: int) -> None:
        """Find the nodes that begin in a line, outermost first."""
        if line in self._seen:
            return
        self._seen.add(line)
        level: Sequence[ast.AST] = self._rows.at(line)
        while level:
            for node in level:
                if isinstance(node, (ast.expr, ast.stmt, ast.arg)) and node.lineno == line:
                    self._at.setdefault(self.source.span(node), []).append(node)
            level = [child for node in level for child in below(node) if _reaches(child, line)]

    def expression_at(self, span: Span) -> ast.expr | None:
        """The innermost expression at ``span``."""
        found = [node for node in self.nodes_at(span) if isinstance(node, ast.expr)]
        return found[-1] if found else None

    def statement_at(self, span: Span) -> ast.stmt | None:
        """The statement exactly at ``span``, or else the one around it."""
        for node in self.nodes_at(span):
            return node if isinstance(node, ast.stmt) else self.statement_of(node)
        return None

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """The innermost statement around a node."""
        current = node
        while not isinstance(current, ast.stmt):
            current = self.parents[current]
        return current

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """What a node stands in, the innermost first."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def definition_of(self, node: ast.AST) -> Definition | None:
        """The function or class around a node (a definition is not around itself)."""
        return next((each for each in self.around(node) if isinstance(each, _DEFINITIONS)), None)

    def function_of(self, node: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The innermost function around a node."""
        current = self.definition_of(node)
        while isinstance(current, ast.ClassDef):
            current = self.definition_of(current)
        return current

    def class_of(self, function: ast.AST) -> ast.ClassDef | None:
        """The class whose method a function is."""
        parent = self.definition_of(function)
        return parent if isinstance(parent, ast.ClassDef) else None

    def scope(self, node: ast.AST) -> str:
        """The qualified name of the function or class around a node; "" for the module."""
        names: list[str] = []
        current = self.definition_of(node)
        while current is not None:
            names.append(current.name)
            current = self.definition_of(current)
        return ".".join(reversed(names))

    def scopes(self, node: ast.AST) -> list[str]:
        """The scopes whose names a node sees: its function, functions around it, the module."""
        found: list[str] = []
        current = self.function_of(node)
        while current is not None:
            around = self.scope(current)
            found.append(f"{around}.{current.name}" if around else current.name)
            current = self.function_of(current)
        return [*found, ""]

    def block_of(self, statement: ast.stmt) -> list[ast.stmt]:
        """The list of statements that a statement stands in."""
        parent = self.parents[statement]
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and statement in block:
                return block
        for handler in getattr(parent, "handlers", ()):
            if statement in handler.body:
                return list(handler.body)
        return [statement]

    def dominates(self, earlier: ast.stmt, later: ast.AST) -> bool:
        """Whether whoever reaches ``later`` has executed ``earlier`` before, in the same function.

        True when ``earlier`` stands before ``later``'s own chain of statements in a block that is
        around ``later``.
        """
        first = self._stand(earlier)
        assert first is not None, "a statement stands in a block"
        current: ast.AST | None = later
        while current is not None:
            where = self._stand(current)
            if where is not None and where[0] is first[0]:
                return first[1] < where[1]
            current = self.parents.get(current)
        return False

    def _stand(self, node: ast.AST) -> tuple[list[ast.stmt], int] | None:
        """The block that a statement stands in, and which of its statements it is; None for any other node."""
        if isinstance(node, ast.stmt) and node not in self._stands:
            parent = self.parents[node]
            blocks = (getattr(parent, name, None) for name in _BLOCKS)
            # The body of a lambda is an expression.
            for block in (each for each in blocks if isinstance(each, list)):
                self._stands.update({part: (block, number) for number, part in enumerate(block)})
        return self._stands.get(node)

    def receiver_text(self, call: ast.Call) -> str | None:
        """The source of ``x`` in ``x.method(...)`` with the parentheses around it, if it is on one line."""
        if not isinstance(call.func, ast.Attribute):
            return None
        text = self.source.segment(self.source.span(call.func))
        receiver = text.removesuffix(call.func.attr).rstrip()
        return receiver[:-1].rstrip() if receiver.endswith(".") and "\n" not in text else None

    def receiver_name(self, function: ast.AST | None) -> str | None:
        """The name of the first parameter of a method, usually ``self``; a static method has no receiver."""
        if not isinstance(function, _FUNCTIONS) or self.class_of(function) is None:
            return None
        if any(getattr(decorator, "id", "") == "staticmethod" for decorator in function.decorator_list):
            return None
        args = positional_of(function)
        return args[0].arg if args else None
