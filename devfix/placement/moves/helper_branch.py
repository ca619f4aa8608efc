"""Helper branches: a function that moves what it is given in one branch, and in another does nothing with it, moves it there too."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows, spelt
from devfix.findings import DeleteStatement, FileEdit, InsertBefore, Origin
from devfix.placement.moves.argument_move import parameter_at

Trail = tuple[Origin, ...]
Edits = tuple[FileEdit, ...]
_MOVES = ("to", "cuda")


class _Branch(NamedTuple):
    """One branch of a chain of ``if``s, and its test."""

    test: ast.expr
    body: list[ast.stmt]


def completed(facts: Facts, trails: Iterable[Trail]) -> Edits:
    """``x = x.cuda()`` in place of ``pass``, where the function that all the values went through does so for others.

    The idle branch asks for nothing that the branch which moves does not ask for: both are for the accelerator.
    """
    ways = [_of_life(facts, life) for life in trails] if not facts.program.adopts else []
    return tuple(dict.fromkeys(edit for way in ways for edit in way)) if ways and all(ways) else ()


def _of_life(facts: Facts, life: Trail) -> Edits:
    for site in reversed(life):
        if site.kind != "argument" or site.path not in facts.program.sources:
            continue
        found = parameter_at(facts, site)
        if found is None:
            continue
        function, name = found
        for choice in (each for each in function.body if isinstance(each, ast.If)):
            idle, move = _idle(list(_branches(choice)), name)
            if idle is not None and move is not None:
                source = facts.source(site.path)
                span, code = source.span(idle), source.segment(source.span(move))
                edits = (InsertBefore(span, code), DeleteStatement(span))
                return tuple(FileEdit(site.path, edit) for edit in edits)
    return ()


def _branches(choice: ast.If) -> Iterator[_Branch]:
    yield _Branch(choice.test, choice.body)
    if len(choice.orelse) == 1 and isinstance(choice.orelse[0], ast.If):
        yield from _branches(choice.orelse[0])


def _idle(branches: list[_Branch], name: str) -> tuple[ast.stmt | None, ast.stmt | None]:
    """The statement of a branch that does nothing, and that by which another one moves what goes by ``name``."""
    moving = [branch for branch in branches if len(branch.body) == 1 and _moves(branch.body[0], name)]
    for branch in branches:
        only = branch.body[0] if len(branch.body) == 1 else None
        alike = [other for other in moving if _asked(branch.test) <= _asked(other.test)]
        if only is not None and alike and _does_nothing(only, name):
            return only, alike[0].body[0]
    return None, None


def _moves(statement: ast.stmt, name: str) -> bool:
    """Whether a statement is ``x = x.cuda()`` or ``x = x.to(device)``."""
    value = statement.value if isinstance(statement, ast.Assign) else None
    func = value.func if isinstance(value, ast.Call) else None
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    moved = isinstance(func, ast.Attribute) and func.attr in _MOVES and spelt(func.value) == name
    return moved and [spelt(target) for target in targets] == [name]


def _does_nothing(statement: ast.stmt, name: str) -> bool:
    if not isinstance(statement, ast.Assign):
        return isinstance(statement, ast.Pass)
    return {spelt(each) for each in (*statement.targets, statement.value)} == {name}


def _asked(test: ast.expr) -> set[str]:
    return {ast.unparse(part) for part in in_rows(test) if isinstance(part, (ast.Name, ast.Attribute))}
