"""Sibling methods: what a method is given moves at its beginning, as it does in the others that are given the same."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import parameters_of
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, InsertAtBodyStart, Origin
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves.argument_move import parameter_at
from devfix.placement.siblings import sibling_move

Edits = tuple[FileEdit, ...]
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def moved_at_start(facts: Facts, trail: tuple[Origin, ...]) -> Edits:
    """``x = x.to(self.device)`` in ``train_step(self, x)`` of a class whose ``test_step(self, x)`` begins with it.

    Nothing where another of its methods that are given the same goes without, or where it may be no tensor.
    """
    for site in reversed(trail):
        if site.kind != "argument" or site.path not in facts.program.sources:
            continue
        found = parameter_at(facts, site)
        if found is None:
            continue
        function, name = found
        outline = facts.outline(site.path)
        suffix = _suffix_of_others(facts, Place(site.path, outline, function), function, name)
        if suffix and _is_tensor(facts, outline, function, name):
            edit = InsertAtBodyStart(outline.source.span(function), f"{name} = {name}{suffix}")
            return (FileEdit(site.path, edit),)
    return ()


def _suffix_of_others(facts: Facts, place: Place, function: _Function, name: str) -> str:
    """The move that all other methods of the class begin with that are given something of that name."""
    cls = place.outline.class_of(function)
    others = [] if cls is None else [each for each in cls.body if isinstance(each, _Function)]
    given = [each for each in others if any(part.arg == name for part in parameters_of(each))]
    moves = [_move_of(each, name) for each in given if each is not function]
    suffixes = {suffix for suffix, _ in moves}
    suffix = suffixes.pop() if len(suffixes) == 1 else ""
    placed = any(sibling_move.is_placed(facts, place, statement, name) for _, statement in moves)
    own = {part.arg for part in parameters_of(function)}
    known = all(part in own for each in given for part in _locals_in(each, suffix, name))
    return suffix if placed and known and not _binds(function, name) else ""


def _move_of(function: _Function, name: str) -> tuple[str, ast.stmt]:
    """``x = x.to(self.device)`` of a method, and what it calls, where nothing reads ``x`` before; "" where it does no such thing."""
    reads = (each for each in function.body if any(_is(node, name) for node in in_rows(each)))
    first = next(reads, function.body[0])
    value = first.value if isinstance(first, ast.Assign) and sibling_move.binds(first, name) else None
    suffix = sibling_move.move_of(value) if value is not None else ""
    return suffix if value is not None and ast.unparse(value) == name + suffix else "", first


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _locals_in(function: _Function, suffix: str, name: str) -> Iterator[str]:
    """The names in a move that only the method itself knows: its parameters, and what it binds."""
    stored = (node for node in in_rows(function) if isinstance(node, ast.Name))
    bound = {node.id for node in stored if isinstance(node.ctx, ast.Store)}
    known = bound | {part.arg for part in parameters_of(function)}
    move = ast.parse(f"{name}{suffix}", mode="eval")
    yield from (node.id for node in in_rows(move) if isinstance(node, ast.Name) and node.id in known - {name})


def _binds(function: _Function, name: str) -> bool:
    return any(
        _is(node, name) and not isinstance(getattr(node, "ctx", None), ast.Load) for node in in_rows(function)
    )


def _is_tensor(facts: Facts, outline: Outline, function: _Function, name: str) -> bool:
    """Whether nothing but tensors was seen to be what the method is given."""
    scope = outline.scope(function.body[0])
    found = [
        each for each in facts.bindings(outline.source.path, scope).get(name, []) if each.statement is None
    ]
    return bool(found) and all(each.kind == "tensor" for each in found)
