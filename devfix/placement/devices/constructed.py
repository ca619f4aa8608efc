"""What a constructor has set where a place in it is: by itself, or by the constructor of a base that it called."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import TYPE_CHECKING

from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import Binding
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import FUNCTIONS
from devfix.analysis.text.syntax import in_rows
from devfix.placement.devices import boundness

if TYPE_CHECKING:
    from devfix.placement.devices.device_expression import Place


#: What Python calls by itself as an object is made.
_CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__"})


def run_as_made(facts: Facts, cls: ast.ClassDef, *, perhaps: bool = False) -> set[str]:
    """The names of the methods that run as an object of a class is made: its constructors, those of its bases, and what they call.

    What they only name, as they do in ``self.apply(self.fill)``, runs then ``perhaps``.
    """
    methods = [
        part for each in (cls, *bases(facts, cls)) for part in each.body if isinstance(part, FUNCTIONS)
    ]
    found = set(_CONSTRUCTORS)
    while (
        new := {name for each in methods if each.name in found for name in _named(each, perhaps=perhaps)}
        - found
    ):
        found |= new
    return found


def _named(method: ast.AST, *, perhaps: bool) -> Iterator[str]:
    """The names of the methods that a method calls, or names, on its own object or on that of ``super()`` as a rule."""
    for part in in_rows(method):
        named = part if perhaps else part.func if isinstance(part, ast.Call) else None
        if isinstance(named, ast.Attribute):
            yield named.attr


def has_set(facts: Facts, place: Place, attribute: str, bindings: Iterable[Binding]) -> bool:
    """Whether an attribute, of which all ``bindings`` are known, has been set where ``place`` is."""
    return any(_is_before(place, binding) for binding in bindings) or _base_sets(facts, place, attribute)


def is_set_before(facts: Facts, outline: Outline, method: ast.AST, attribute: str) -> bool:
    """Whether no constructor, the class's own or that of a base, calls ``method`` before it sets ``attribute``."""
    cls = outline.class_of(method)
    if cls is None:
        return True
    placed = list(placed_bases(facts, cls))
    is_called = any(boundness.early_uses(base, cls, method) for _, base in placed)
    if is_called and not boundness.sets_before_base(outline, cls, attribute):
        return False
    return boundness.is_set_before(outline, method, attribute) and all(
        boundness.constructor_sets_before(facts.outline(path), base, cls, method, attribute)
        for path, base in placed
    )


def is_of_constructors(facts: Facts, outline: Outline, method: ast.AST) -> bool:
    """Whether a method runs while an object is made, and never later: it is named by constructors alone.

    They may do so by way of other such methods of the class or of its bases, and Python by itself. What nothing names
    is called by somebody else.
    """
    cls, name = outline.class_of(method), getattr(method, "name", "")
    if cls is None or name not in run_as_made(facts, cls, perhaps=True):
        return False
    family = (cls, *bases(facts, cls))
    methods = {part: part.name for each in family for part in each.body if isinstance(part, ast.FunctionDef)}
    pending, seen = [] if name in _CONSTRUCTORS else [name], {name, *_CONSTRUCTORS}
    while pending:
        around = _naming(facts, pending.pop())
        if not around or any(
            each not in methods and getattr(each, "name", "") not in _CONSTRUCTORS for each in around
        ):
            return False
        names = {methods[each] for each in around if isinstance(each, ast.FunctionDef) and each in methods}
        pending += names - seen
        seen |= names
    return True


def _naming(facts: Facts, name: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef | None]:
    """The function around each attribute of that name, None for what stands in none."""
    return [
        facts.outline(path).function_of(node)
        for path, source in facts.program.sources.items()
        if name in source.text
        for node in in_rows(source.tree)
        if isinstance(node, ast.Attribute) and node.attr == name
    ]


def statement_of(outline: Outline, binding: Binding) -> ast.stmt | None:
    """The statement that binds."""
    return outline.statement_at(binding.statement) if binding.statement is not None else None


def _is_before(place: Place, binding: Binding) -> bool:
    statement = statement_of(place.outline, binding)
    return statement is not None and place.outline.dominates(statement, place.node)


def _base_sets(facts: Facts, place: Place, attribute: str) -> bool:
    """Whether a base of the class around a constructor has set ``attribute`` for certain where ``place`` is.

    What the class itself may set is not asked of its bases.
    """
    function = place.outline.function_of(place.node)
    cls = place.outline.class_of(function) if function is not None else None
    if function is None or cls is None or any(sets(node, attribute) for node in in_rows(cls)):
        return False
    if not is_after_base(place.outline, function, place.outline.statement_of(place.node)):
        return False
    return any(_always_sets(base, attribute) for base in bases(facts, cls))


def is_after_base(outline: Outline, function: ast.AST, statement: ast.stmt) -> bool:
    """Whether ``super().__init__(...)``, or ``Base.__init__(self, ...)``, has run before a statement."""
    for node in in_rows(function):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Attribute) and called.attr == "__init__":
            before = outline.statement_of(called)
            if before is not statement and outline.dominates(before, statement):
                return True
    return False


def bases(facts: Facts, cls: ast.ClassDef) -> Iterator[ast.ClassDef]:
    """The classes of the program that a class is derived from, by their names; none where a name stands for several."""
    return (base for _, base in placed_bases(facts, cls))


def placed_bases(facts: Facts, cls: ast.ClassDef) -> Iterator[tuple[str, ast.ClassDef]]:
    """The same, each with its file."""
    pending, seen = base_names(cls), {cls.name}
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        sources = facts.program.sources.items()
        found = [
            (path, node)
            for path, source in sources
            if name in source.text
            for node in source.tree.body
            if isinstance(node, ast.ClassDef) and node.name == name
        ]
        if len(found) == 1:
            yield found[0]
            pending.extend(base_names(found[0][1]))


def base_names(cls: ast.ClassDef) -> list[str]:
    """The last parts of the names of a class's bases."""
    return [ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in cls.bases]


def is_always_set(facts: Facts, cls: ast.ClassDef, attribute: str) -> bool:
    """Whether an object has an attribute once it is made: by the constructor of its class, or that of a base."""
    return any(_always_sets(each, attribute) for each in (cls, *bases(facts, cls)))


def _always_sets(cls: ast.ClassDef, attribute: str) -> bool:
    """Whether the constructor of a class sets an attribute in a statement that nothing stands around, and that it gets to."""
    constructors = (
        part for part in cls.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"
    )
    reached = (takewhile(lambda each: not _may_return(each), part.body) for part in constructors)
    return any(sets(statement, attribute) for part in reached for statement in part)


def _may_return(statement: ast.stmt) -> bool:
    """Whether a function may end within a statement."""
    inner = isinstance(statement, (*FUNCTIONS, ast.ClassDef))
    return not inner and any(isinstance(part, ast.Return) for part in in_rows(statement))


def sets(node: ast.AST, attribute: str) -> bool:
    """Whether a node is an assignment to an attribute of that name, whichever object has it."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        targets = [node.target]
    return any(
        isinstance(part, ast.Attribute) and part.attr == attribute and isinstance(part.ctx, ast.Store)
        for target in targets
        for part in in_rows(target)
    )
