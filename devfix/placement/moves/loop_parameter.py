"""Loop parameters: what a function was given and uses in a loop, as a whole or part by part, moves once, before the loop."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import positional_of
from devfix.findings import FileEdit, InsertAfter, InsertAtBodyStart, Operand
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place
from devfix.placement.text import chains

Edits = tuple[FileEdit, ...]

_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def moved(facts: Facts, place: Place, peers: list[Operand]) -> Edits:
    """``x = x.to(device)`` before the loop that has ``net(x)`` or ``net(x[i])``, where ``x`` is a parameter that keeps its value.

    That is wanted of a program that has just been given its device: none of its functions knew of one.
    """
    function, name = place.outline.function_of(place.node), chains.name_of(place.node, ast.Subscript)
    if not facts.program.adopts or not name or not isinstance(function, ast.FunctionDef):
        return ()
    names = [parameter.arg for parameter in positional_of(function)]
    loop = _loop_around(place.outline, function, place.node)
    if loop is None or name not in names or not _is_kept_tensor(facts, place, function, name):
        return ()
    if device_expression.is_in_module(facts, place):
        return ()
    found = device_expression.find(facts, Place(place.path, place.outline, loop), peers)
    if found is None or found.code.partition(".")[0] == name:
        return ()
    span, code, rank = place.outline.source.span, f"{name} = {name}.to({found.code})", names.index(name)
    before = function.body[: function.body.index(loop)]
    is_first = not before or (len(before) == 1 and ast.get_docstring(function, clean=False) is not None)
    edit = (
        InsertAtBodyStart(span(function), code, rank)
        if is_first
        else InsertAfter(span(before[-1]), code, rank)
    )
    return (*found.edits, FileEdit(place.path, edit))


def _loop_around(outline: Outline, function: ast.FunctionDef, node: ast.AST) -> ast.stmt | None:
    """The loop among a function's own statements whose rounds evaluate an expression."""
    inner: ast.AST = node
    while (around := outline.parents[inner]) is not function:
        inner, node = around, inner
    is_round = isinstance(inner, _LOOPS) and (node in inner.body or isinstance(inner, ast.While))
    return inner if is_round and isinstance(inner, ast.stmt) else None


def _is_kept_tensor(facts: Facts, place: Place, function: ast.FunctionDef, name: str) -> bool:
    """Whether a parameter is a tensor in every call, and the function gives its name to nothing else."""
    occurrences = place.outline.occurrences(function, name)
    if any(not isinstance(each.ctx, ast.Load) for each in occurrences):
        return False
    bound = facts.bindings(place.path, place.outline.scope(function.body[0])).get(name, [])
    return bool(bound) and all(binding.kind == "tensor" for binding in bound)
