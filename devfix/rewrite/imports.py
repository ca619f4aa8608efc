"""Where imports, and the code that follows them, go in a module."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import libcst as cst

from devfix.findings import AddImport, InsertAfterImports
from devfix.rewrite.binding import Binding, Kind, bindings, module_of
from devfix.rewrite.listing import Entry, Listing
from devfix.rewrite.outline import Outline, Row
from devfix.rewrite.patch import Patch
from devfix.rewrite.plan import Plan, Section
from devfix.rewrite.snippet import Snippet, Style
from devfix.rewrite.tree import children

_SCOPES = (cst.FunctionDef, cst.ClassDef)
_LONGEST_LINE = 88


@dataclass
class Imports:
    """The imports of a module, and what is to be put among and after them."""

    plan: Plan
    newline: str
    _code: list[str] = field(default_factory=list)
    _wanted: list[Binding] = field(default_factory=list)
    _joined: dict[cst.ImportFrom, list[str]] = field(default_factory=lambda: defaultdict(list))
    _added: dict[str, int] = field(default_factory=dict)
    _behind: list[Row] = field(default_factory=list)

    def add(self, edit: AddImport | InsertAfterImports) -> None:
        """Take one edit."""
        if isinstance(edit, InsertAfterImports):
            self._code.append(edit.code)
            return
        alias = edit.alias if edit.alias != (edit.name or edit.module) else None
        self._wanted.append(Binding(edit.module, edit.name, alias))

    def settle(self) -> None:
        """Put everything in its place, imports before the code that follows them."""
        for wanted in sorted(set(self._wanted), key=lambda binding: binding.key):
            if not any(present.serves(wanted) for present in self._present()):
                self._place_import(wanted)
        for code in self._code:
            self._place_code(Snippet(code))

    def come_too_late(self, line: int) -> bool:
        """Whether code goes behind a line that is changed itself, and may need the code: ``import torch; f()``."""
        lines = self.plan.outline.tree.lines
        return any(lines.line_of(row.body) <= line <= lines.line_of(row.end - 1) for row in self._behind)

    def patches(self) -> Iterator[Patch]:
        """The names that join import statements which are there."""
        for node, codes in self._joined.items():
            yield from self._listing(node).insert(codes)

    def _rows(self) -> list[Row]:
        return self.plan.outline.module.rows

    def _present(self) -> Iterator[Binding]:
        """What the module imports whenever it is imported itself."""
        for row in self._rows():
            yield from _bindings(row)
            if isinstance(row.statements[0].node, (cst.Try, cst.TryStar)):
                for inner in row.blocks[0].rows:
                    yield from _bindings(inner)

    def _end_of_imports(self, mentioned: frozenset[str] = frozenset()) -> int:
        """The number of rows up to the last import before any definition.

        Nothing that mentions one of the names may come before either.
        """
        end = self._docstrings()
        for number, row in enumerate(self._rows()):
            if _imports(row):
                end = number + 1
            elif isinstance(row.statements[0].node, _SCOPES) or mentioned & _names_of_row(row):
                break
        return end

    def _docstrings(self) -> int:
        return 1 if self.plan.outline.module.docstring(self.plan.outline.tree) else 0

    def _place_import(self, wanted: Binding) -> None:
        others = [
            (number, present)
            for number, row in enumerate(self._rows()[: self._end_of_imports()])
            for present in _bindings(row)
        ]
        if node := self._statement_to_join(wanted):
            self._joined[node].append(wanted.alias_code)
        elif before := _neighbour(others, wanted):
            number, like = before
            self._add_import(wanted, number + 1, apart=like.kind != wanted.kind)
        elif others:
            self._add_import(wanted, others[0][0], apart=True)
        else:
            future = wanted.kind is Kind.FUTURE
            self._add_import(wanted, self._docstrings() if future else self._end_of_imports())

    def _add_import(self, wanted: Binding, number: int, *, apart: bool = True) -> None:
        """Put an import after the first ``number`` rows; ``apart`` when they are not its like."""
        if wanted.is_plain:
            code = f"import {wanted.alias_code}"
        else:
            code = f"from {wanted.module} import {wanted.alias_code}"
        section = Section(Snippet(code), wanted.kind.name, before=apart or not number, after=apart)
        self.plan.sections[number].append(section)
        self._added[wanted.bound] = number

    def _statement_to_join(self, wanted: Binding) -> cst.ImportFrom | None:
        """A ``from`` import of the same module that has room for one more name."""
        for row in self._rows()[: self._end_of_imports()]:
            for statement in row.statements:
                node = statement.node
                if isinstance(node, cst.ImportFrom) and self._has_room(node, wanted):
                    return node
        return None

    def _has_room(self, node: cst.ImportFrom, wanted: Binding) -> bool:
        if wanted.is_plain or module_of(node) != wanted.module or isinstance(node.names, cst.ImportStar):
            return False
        if node.lpar:
            return True
        tree = self.plan.outline.tree
        codes = [*self._joined.get(node, ()), wanted.alias_code]
        column = tree.end(node) - tree.lines.start_of_line(tree.end(node))
        return column + sum(len(code) + 2 for code in codes) <= _LONGEST_LINE

    def _listing(self, node: cst.ImportFrom) -> Listing:
        tree = self.plan.outline.tree
        assert not isinstance(node.names, cst.ImportStar)  # noqa: S101 - `_has_room` saw to it
        entries = [self._entry(alias) for alias in node.names]
        end = tree.end(node.rpar) - 1 if node.rpar else tree.end(node)
        return Listing(tree, entries[0].start, end, entries, self.newline, bracketed=bool(node.rpar))

    def _entry(self, alias: cst.ImportAlias) -> Entry:
        tree, comma = self.plan.outline.tree, alias.comma
        stop = tree.end(comma.whitespace_before) + 1 if isinstance(comma, cst.Comma) else None
        last = alias.asname.name if alias.asname else alias.name
        return Entry(tree.start(alias.name), tree.end(last), stop)

    def _place_code(self, snippet: Snippet) -> None:
        lines = self._news(snippet) if snippet.lines else []
        if not any(line.strip() for line in lines):
            return
        number = self._after_imports(_names_in(snippet.tree.module))
        section = Section(Snippet("\n".join(lines)), "", before=True, after=True)
        self.plan.sections[number].append(section)
        self._behind += self._rows()[number - 1 : number]

    def _after_imports(self, names: frozenset[str]) -> int:
        """Behind the imports that the code needs, but before what could need the code."""
        end = self._end_of_imports(names)
        end = max([end, *(number for name, number in self._added.items() if name in names)])
        bound = {present.bound for row in self._rows()[:end] for present in _bindings(row)}
        for number, row in enumerate(self._rows()[end:], end):
            late = {present.bound for present in _bindings(row)}
            if late & (names - bound):
                end, bound = number + 1, bound | late
        return end

    def _news(self, snippet: Snippet) -> list[str]:
        """The lines of the code, without the comments and statements that the module has."""
        known = self._known()
        # What was inserted before has the indentation of the module.
        laid_out = snippet.layout("", self._style()).split("\n")
        gone = {number for number, line in enumerate(laid_out, 1) if line in known}
        for row in Outline(snippet.tree).module.rows:
            first = snippet.tree.lines.line_of(row.body)
            last = snippet.tree.lines.line_of(row.end - 1)
            if "\n".join(laid_out[first - 1 : last]) in known:
                gone |= set(range(first, last + 1))
            else:
                gone -= set(range(first, last + 1))
        return [line for number, line in enumerate(snippet.lines, 1) if number not in gone]

    def _style(self) -> Style:
        return Style("\n", self.plan.outline.unit(self.plan.outline.module))

    def _known(self) -> frozenset[str]:
        """The statements of the module, and the lines that are comments."""
        tree = self.plan.outline.tree
        known = {line for line in tree.text.splitlines() if line.startswith("#")}
        for row in self._rows():
            known |= {tree.text[item.start : item.end] for item in row.statements}
        for section in (section for sections in self.plan.sections.values() for section in sections):
            laid_out = section.snippet.layout("", self._style()).removesuffix("\n")
            known |= {laid_out, *laid_out.split("\n")}
        return frozenset("\n".join(code.splitlines()) for code in known)


def _bindings(row: Row) -> Iterator[Binding]:
    for statement in row.statements:
        yield from bindings(statement.node)


def _imports(row: Row) -> bool:
    """Whether a row imports something: an import, or a `try` or `if` (no main guard) with one."""
    if not row.is_compound:
        return any(isinstance(item.node, (cst.Import, cst.ImportFrom)) for item in row.statements)
    node = row.statements[0].node
    if not isinstance(node, (cst.If, cst.Try, cst.TryStar)):
        return False
    if isinstance(node, cst.If) and "__name__" in _names_in(node.test):
        return False
    return any(_imports(inner) for block in row.blocks for inner in block.rows)


def _neighbour(others: Iterable[tuple[int, Binding]], wanted: Binding) -> tuple[int, Binding] | None:
    """The import to stand behind: the last one of the package, else of the group and the form."""
    tests: tuple[Callable[[Binding], bool], ...] = (
        lambda other: other.package == wanted.package and other.is_plain == wanted.is_plain,
        lambda other: other.package == wanted.package and not wanted.is_plain,
        lambda other: other.kind == wanted.kind and other.is_plain == wanted.is_plain,
        lambda other: other.kind == wanted.kind,
        lambda other: other.kind < wanted.kind,
    )
    for test in tests:
        if found := [other for other in others if test(other[1])]:
            return found[-1]
    return None


def _names_of_row(row: Row) -> frozenset[str]:
    return frozenset[str]().union(*(_names_in(item.node) for item in row.statements))


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
