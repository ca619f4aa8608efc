"""Row uses: what a program does with the lists and dicts within a container, which a ``ModuleList`` cannot do."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline

#: What a list and a dict can do that the containers which are registered cannot.
REFUSED = {
    "ModuleList": frozenset(vars(list)) - {"append", "extend", "insert", "pop"},
    "ModuleDict": frozenset(vars(dict)) - {"items", "keys", "values", "update", "pop", "clear"},
    "ParameterList": frozenset(vars(list)) - {"append", "extend"},
    "ParameterDict": frozenset(vars(dict)) - {"items", "keys", "values", "update", "pop", "clear", "get"},
}
_LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)
#: What asks for plain lists and dicts, or adds to one.
_REFUSING = frozenset({"isinstance", "type", "sum"})


def suit(facts: Facts, name: str, kind: str) -> bool:
    """Whether rows in what is called so are used nowhere as a container of a kind cannot be, as far as is to be seen."""
    refused = REFUSED[kind]
    for path, source in facts.program.sources.items():
        if f".{name}" in source.text:
            outline = facts.outline(path)
            held = (node for node in outline.mentions(name) if isinstance(node, ast.Attribute))
            rows = (row for node in held for row in _rows(outline, node))
            if any(_is_refused(outline, row, refused) for row in rows):
                return False
    return True


def _rows(outline: Outline, held: ast.Attribute) -> Iterator[ast.expr]:
    """A container and its items, and the names that items get."""
    whole: ast.expr = held
    for whole in _links(outline, held):
        yield whole
    target = _target(outline, whole)
    scope = outline.function_of(held) or outline.source.tree
    for each in outline.occurrences(scope, target.id) if target is not None else ():
        yield from _links(outline, each)


def _links(outline: Outline, node: ast.expr) -> Iterator[ast.expr]:
    """``held``, ``held.values()``, ``held["a"]`` and so on, as long as nothing else is done with it."""
    yield node
    above = outline.parents.get(node)
    call = outline.parents.get(above) if isinstance(above, ast.Attribute) else None
    if isinstance(above, ast.Subscript) and above.value is node:
        yield from _links(outline, above)
    elif isinstance(call, ast.Call) and call.func is above and not call.args:
        yield from _links(outline, call)


def _target(outline: Outline, whole: ast.expr) -> ast.Name | None:
    """The name that each row gets of those that a loop goes through, or the one that is looked up."""
    above, target = outline.parents.get(whole), None
    if isinstance(above, ast.Assign) and isinstance(whole, ast.Subscript):
        target = above.targets[0]
    elif isinstance(above, _LOOPS) and above.iter is whole:
        target = above.target
        if isinstance(target, ast.Tuple) and isinstance(whole, ast.Call):
            target = target.elts[-1]  # ``for key, row in held.items()``; any other row is unpacked
    elif isinstance(above, ast.Call):
        around = outline.parents.get(above)
        if isinstance(around, _LOOPS) and isinstance(around.target, ast.Tuple):
            target = around.target.elts[-1]  # ``for number, row in enumerate(held)``
    return target if isinstance(target, ast.Name) else None


def _is_refused(outline: Outline, row: ast.expr, refused: frozenset[str]) -> bool:
    above = outline.parents.get(row)
    if isinstance(above, ast.Attribute):
        return above.attr in refused
    if isinstance(above, ast.Call):
        return isinstance(above.func, ast.Name) and above.func.id in _REFUSING
    return isinstance(above, ast.BinOp) and above.right is row
