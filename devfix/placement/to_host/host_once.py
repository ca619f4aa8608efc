"""Copied once: a tensor that a function reads on the CPU again and again, or brings together with what came of it there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, InsertBefore, Span
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves import suffixes
from devfix.placement.text import missing_values

Edits = tuple[FileEdit, ...]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
#: What brings together what stands on its sides.
_OPERATORS = (ast.BinOp, ast.UnaryOp, ast.Compare)


def copied_before(facts: Facts, place: Place, suffix: str) -> Edits:
    """``ranks = ranks.cpu()`` before ``np.log2(ranks + 2) * (ranks < k)``, where nothing else is done with ``ranks`` from there on."""
    outline, first = place.outline, place.outline.statement_of(place.node)
    function = outline.function_of(place.node)
    names = {each.id for each in _names(place.node) if _is_tensor(facts, outline, each)}
    if (
        len(names) != 1
        or not isinstance(function, _FUNCTIONS)
        or not isinstance(first, (ast.Assign, ast.Return))
    ):
        return ()
    [name] = names
    read = {m.operands[0].span for m in facts.mismatches("numpy") if m.path == place.path}
    if place.node is first or outline.source.span(place.node) not in read:
        return ()
    others = list(_others(function, name, place.node))
    later = [each for each in others if not _is_before(outline, each, first)]
    if not later or any(isinstance(each.ctx, ast.Store) for each in later):
        return ()
    made, before = _results(first), _outermost(outline, first, name)
    beside = {name, *made}
    if not _is_of(facts, outline, place.node, beside):
        return ()
    for each in later:
        reached = before in outline.around(each) or outline.dominates(before, each)
        used = _is_read(outline, each, read) or _meets(outline, each, place.node, made)
        if not reached or not used or not _is_of(facts, outline, _whole(outline, each), beside):
            return ()
    copy = _copy(facts, outline, function, name, suffix, is_first=len(others) == len(later))
    return copy or (
        FileEdit(place.path, InsertBefore(outline.source.span(before), f"{name} = {name}{suffix}")),
    )


def _outermost(outline: Outline, statement: ast.stmt, name: str) -> ast.stmt:
    """The outermost loop around a statement of a function that gives a name nothing new, or the statement itself."""
    found = statement
    for around in outline.around(statement):
        if isinstance(around, _FUNCTIONS):
            break
        if isinstance(around, (ast.For, ast.While)):
            if any(each.id == name for each in _names(around, ast.Store)):
                break
            found = around
    return found


def _copy(
    facts: Facts, outline: Outline, function: ast.AST, name: str, suffix: str, *, is_first: bool
) -> Edits:
    """The copy where the tensor gets its name, if that is done once in the function, and nothing comes in between."""
    bound = [
        each
        for each in in_rows(function)
        if isinstance(each, ast.Assign) and any(part.id == name for part in _names(each, ast.Store))
    ]
    is_plain = len(bound) == 1 and len(bound[0].targets) == 1 and isinstance(bound[0].targets[0], ast.Name)
    return suffixes.added(facts, outline, bound[0].value, suffix) if is_plain and is_first else ()


def _names(node: ast.AST, context: type[ast.expr_context] = ast.Load) -> Iterator[ast.Name]:
    return (each for each in in_rows(node) if isinstance(each, ast.Name) and isinstance(each.ctx, context))


def _is_tensor(facts: Facts, outline: Outline, name: ast.Name) -> bool:
    """Whether a name of a function stands for tensors on the accelerator alone, but for a None that is gone by then."""
    bindings = facts.bindings(outline.source.path, outline.scopes(name)[0]).get(name.id, [])
    tensors = [each for each in bindings if each.kind != "none"]
    if len(tensors) < len(bindings) and missing_values.reaches(facts, outline, name):
        return False
    return bool(tensors) and all(
        each.kind == "tensor" and each.device is not None and each.device.is_accelerator for each in tensors
    )


def _others(function: ast.AST, name: str, node: ast.AST) -> Iterator[ast.Name]:
    """Where a function names the tensor, but where it gets the name first and in an expression itself."""
    within = set(map(id, in_rows(node)))
    stored = [each for each in _names(function, ast.Store) if each.id == name]
    for each in (*_names(function), *stored[1:]):
        if each.id == name and id(each) not in within:
            yield each


def _is_before(outline: Outline, name: ast.Name, first: ast.stmt) -> bool:
    """Whether a name stands before a statement, and no loop leads there again with what it stands for then."""
    if name.lineno >= first.lineno:
        return False
    loops = [each for each in outline.around(first) if isinstance(each, (ast.For, ast.While))]
    common = set(loops).intersection(outline.around(name))
    return all(_begins_anew(outline, loop, name, first) for loop in common)


def _begins_anew(outline: Outline, loop: ast.AST, name: ast.Name, first: ast.stmt) -> bool:
    """Whether each round of a loop gives a name something else before it speaks of it."""
    bound = (outline.statement_of(each) for each in _names(loop, ast.Store) if each.id == name.id)
    return any(
        loop in outline.around(each)
        and outline.dominates(each, first)
        and (each is outline.statement_of(name) or outline.dominates(each, name))
        for each in bound
        if each is not loop and all(part.id != name.id for part in _names(each))
    )


def _results(statement: ast.stmt) -> set[str]:
    """The names that a statement gives to what it makes."""
    return {each.id for each in _names(statement, ast.Store)}


def _whole(outline: Outline, node: ast.AST) -> ast.AST:
    """What operators make of an expression and others."""
    while isinstance(outline.parents[node], _OPERATORS):
        node = outline.parents[node]
    return node


def _is_of(facts: Facts, outline: Outline, node: ast.AST, names: set[str]) -> bool:
    """Whether an expression speaks of nothing but some names, numbers and modules."""
    for each in _names(node):
        bindings = facts.bindings(outline.source.path, outline.scopes(each)[0]).get(each.id, [])
        is_number = bool(bindings) and all(found.kind == "number" for found in bindings)
        if each.id not in names and each.id not in outline.imported and not is_number:
            return False
    return True


def _is_read(outline: Outline, name: ast.Name, read: set[Span]) -> bool:
    """Whether NumPy is handed what operators make of a name."""
    node: ast.AST = name
    while outline.source.span(node) not in read:
        node = outline.parents[node]
        if not isinstance(node, _OPERATORS):
            return False
    return True


def _meets(outline: Outline, name: ast.Name, node: ast.AST, made: set[str]) -> bool:
    """Whether operators bring together a name and what NumPy made of it, which stands there or has one of some names."""
    current = outline.parents[name]
    while isinstance(current, _OPERATORS):
        for part in in_rows(current):
            if part is node or (isinstance(part, ast.Name) and part.id in made):
                return True
        current = outline.parents[current]
    return False
