"""Where imports, and the code that follows them, go in a module."""

from __future__ import annotations

import ast
import enum
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst

from devfix.findings import AddImport, InsertAfterImports
from devfix.rewrite.error import EditError
from devfix.rewrite.outline import Row
from devfix.rewrite.patch import Patch
from devfix.rewrite.plan import Plan, Section
from devfix.rewrite.snippet import Snippet
from devfix.rewrite.tree import children

_SCOPES = (cst.FunctionDef, cst.ClassDef)


class Kind(enum.IntEnum):
    """The groups in which imports stand, in their order."""

    FUTURE = 0
    STANDARD = 1
    OTHER = 2
    RELATIVE = 3


@dataclass(frozen=True)
class Binding:
    """One name that an import binds: ``import module as alias`` or ``from module import name``."""

    module: str
    name: str | None = None
    alias: str | None = None

    @property
    def bound(self) -> str:
        """The name in the module that the import binds."""
        return self.alias or self.name or self.module.partition(".")[0]

    @property
    def kind(self) -> Kind:
        """The group that the import belongs to."""
        if self.module.startswith("."):
            return Kind.RELATIVE
        top = self.module.partition(".")[0]
        if top == "__future__":
            return Kind.FUTURE
        return Kind.STANDARD if top in sys.stdlib_module_names else Kind.OTHER

    @property
    def statement(self) -> str:
        """The statement that makes the binding."""
        alias = f" as {self.alias}" if self.alias else ""
        if self.name is None:
            return f"import {self.module}{alias}"
        return f"from {self.module} import {self.name}{alias}"


@dataclass
class Imports:
    """The imports of a module, and what is to be put among and after them."""

    plan: Plan
    _code: list[str] = field(default_factory=list)
    _wanted: list[Binding] = field(default_factory=list)

    def add(self, edit: AddImport | InsertAfterImports) -> None:
        """Take one edit."""
        if isinstance(edit, InsertAfterImports):
            self._code.append(edit.code)
            return
        alias = edit.alias if edit.alias != (edit.name or edit.module) else None
        self._wanted.append(Binding(edit.module, edit.name, alias))

    def settle(self) -> None:
        """Put everything in its place, imports before the code that follows them."""
        for binding in dict.fromkeys(self._wanted):
            if not any(_serves(present, binding) for present in self._present()):
                self._place_import(binding)
        for code in self._code:
            self._place_code(code)

    def patches(self) -> Iterator[Patch]:
        """Changes inside import statements."""
        yield from ()

    # Imports

    def _rows(self) -> list[Row]:
        return self.plan.outline.module.rows

    def _present(self) -> Iterator[Binding]:
        """What the module imports whenever it is imported itself."""
        for row in self._rows():
            for statement in row.statements:
                yield from _bindings(statement.node)
                if isinstance(statement.node, (cst.Try, cst.TryStar)):
                    for inner in row.blocks[0].rows:
                        for small in inner.statements:
                            yield from _bindings(small.node)

    def _place_import(self, binding: Binding) -> None:
        snippet = Snippet(binding.statement)
        candidates = [
            (number, present)
            for number, row in enumerate(self._rows()[: self._end_of_imports()])
            for present in _row_bindings(row)
        ]
        number, like = _neighbour(candidates, binding)
        if like is None:
            self._place_first_import(snippet, binding, candidates)
            return
        section = Section(snippet, blank_before=like.kind != binding.kind)
        self.plan.sections[number + 1].append(section)

    def _place_first_import(
        self, snippet: Snippet, binding: Binding, others: list[tuple[int, Binding]]
    ) -> None:
        """Place an import that no other one precedes."""
        number = others[0][0] if others else self._start_of_imports(binding)
        section = Section(snippet, blank_before=True, blank_after=True)
        self.plan.sections[number].append(section)

    def _start_of_imports(self, binding: Binding) -> int:
        """The number of rows that come before any import."""
        module = self.plan.outline.module
        start = 1 if module.docstring(self.plan.outline.tree) else 0
        return start if binding.kind is Kind.FUTURE else max(start, self._end_of_imports())

    def _end_of_imports(self, mentioned: frozenset[str] = frozenset()) -> int:
        """The number of rows up to the last import that nothing of weight precedes."""
        end = 1 if self.plan.outline.module.docstring(self.plan.outline.tree) else 0
        for number, row in enumerate(self._rows()):
            if _imports(row):
                end = number + 1
            elif isinstance(row.statements[0].node, _SCOPES) or _mentions(row, mentioned):
                break
        return end

    # Code

    def _place_code(self, code: str) -> None:
        snippet = Snippet("\n".join(self._news(Snippet(code))))
        if not snippet.lines:
            return
        number = self._after_imports(_names(code))
        self.plan.sections[number].append(Section(snippet, blank_before=True, blank_after=True))

    def _after_imports(self, names: frozenset[str]) -> int:
        """Behind the imports, but before the code that could use what is put there."""
        end = self._end_of_imports(names)
        bound = {present.bound for row in self._rows()[:end] for present in _row_bindings(row)}
        for number, row in enumerate(self._rows()[end:], end):
            late = {present.bound for present in _row_bindings(row)}
            if late & (names - bound):
                end, bound = number + 1, bound | late
        return end

    def _news(self, snippet: Snippet) -> Iterator[str]:
        """The lines of the code, without comments and assignments that the module has already."""
        known = self._known_lines()
        statements = _one_liners(snippet)
        for number, line in enumerate(snippet.lines, 1):
            plain = line.startswith("#") or number in statements
            if not plain or line.rstrip() not in known:
                yield line

    def _known_lines(self) -> frozenset[str]:
        lines = self.plan.outline.tree.text.splitlines()
        queued = [line for sections in self.plan.sections.values() for section in sections for line in section.snippet.lines]
        return frozenset(line.rstrip() for line in (*lines, *queued))


def _imports(row: Row) -> bool:
    """Whether a row imports something: an import, or a `try` or `if` (no main guard) with one."""
    if not row.is_compound:
        return any(isinstance(item.node, (cst.Import, cst.ImportFrom)) for item in row.statements)
    node = row.statements[0].node
    if not isinstance(node, (cst.If, cst.Try, cst.TryStar)):
        return False
    guard = isinstance(node, cst.If) and "__name__" in _names_in(node.test)
    return not guard and any(_imports(inner) for block in row.blocks for inner in block.rows)


def _row_bindings(row: Row) -> Iterator[Binding]:
    for statement in row.statements:
        yield from _bindings(statement.node)


def _bindings(node: cst.CSTNode) -> Iterator[Binding]:
    if isinstance(node, cst.Import):
        for alias in node.names:
            yield Binding(_dotted(alias.name), None, _alias(alias))
    elif isinstance(node, cst.ImportFrom):
        module = "." * len(node.relative) + (_dotted(node.module) if node.module else "")
        names = node.names
        if isinstance(names, cst.ImportStar):
            yield Binding(module, "*")
            return
        for alias in names:
            yield Binding(module, _dotted(alias.name), _alias(alias))


def _dotted(node: cst.BaseExpression) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""


def _alias(alias: cst.ImportAlias) -> str | None:
    return alias.asname.name.value if alias.asname and isinstance(alias.asname.name, cst.Name) else None


def _serves(present: Binding, wanted: Binding) -> bool:
    """Whether an import that is there makes the wanted one unnecessary."""
    if present == wanted:
        return True
    if wanted.name is None and wanted.alias is None and present.name is present.alias is None:
        return present.module.startswith(wanted.module + ".")
    return False


def _neighbour(
    candidates: list[tuple[int, Binding]], wanted: Binding
) -> tuple[int, Binding | None]:
    """The import to stand behind: the last one of the package, else of the group and form."""
    top = wanted.module.partition(".")[0]
    form = wanted.name is None
    tests = (
        lambda other: other.module.partition(".")[0] == top and (other.name is None) == form,
        lambda other: other.module.partition(".")[0] == top and top,
        lambda other: other.kind == wanted.kind and (other.name is None) == form,
        lambda other: other.kind == wanted.kind,
        lambda other: other.kind < wanted.kind,
    )
    for test in tests:
        found = [candidate for candidate in candidates if test(candidate[1])]
        if found:
            return found[-1]
    return 0, None


def _mentions(row: Row, names: frozenset[str]) -> bool:
    return bool(names) and any(names & _names_in(item.node) for item in row.statements)


def _names_in(node: cst.CSTNode) -> frozenset[str]:
    """The names in a piece of syntax, but for those of attributes and keywords."""
    found: set[str] = set()
    pending = [node]
    while pending:
        parent = pending.pop()
        if isinstance(parent, cst.Name):
            found.add(parent.value)
        pending.extend(child for name, child in children(parent) if name not in ("attr", "keyword"))
    return frozenset(found)


def _names(code: str) -> frozenset[str]:
    try:
        nodes = ast.walk(ast.parse(code))
    except (SyntaxError, ValueError) as error:
        raise EditError(f"The code to insert does not parse: {error}.") from error
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name))


def _one_liners(snippet: Snippet) -> frozenset[int]:
    """The lines of a snippet that are an assignment of their own."""
    return frozenset(
        node.lineno
        for node in ast.parse("\n".join(snippet.lines)).body
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.lineno == node.end_lineno
    )
