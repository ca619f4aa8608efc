"""Taken back: a module that a framework brings to the CPU when it is done with it returns to where it is used next."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.scope_names import parameters_of
from devfix.findings import (
    Applicability,
    Edit,
    FileEdit,
    Fix,
    InsertAfter,
    InsertBefore,
    Operand,
    Origin,
)
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.text.dependence import dotted

_MOVES = ("to", "cuda", "cpu", "type", "half", "float")
#: The name under which frameworks take a module.
_MODEL = "model"


def by_framework(facts: Facts, operand: Operand) -> Place | None:
    """The call ``trainer.fit(net)`` that left the module on the CPU whose weight an operand is."""
    made = operand.trail[0] if operand.trail and operand.role == "weight" else None
    place = place_at(facts, made.path, made.span) if made is not None and made.kind == "move" else None
    call = place.node if place is not None else None
    func = call.func if isinstance(call, ast.Call) else None
    return place if isinstance(func, ast.Attribute) and func.attr not in _MOVES else None


def fixes(facts: Facts, operand: Operand, peers: Iterable[Operand]) -> Iterator[Fix]:
    """``net.to(device)`` after the call, where a device is in sight, or where a function that is given ``net`` moves its inputs."""
    left = by_framework(facts, operand)
    if left is None or facts.program.adopts:
        return
    lives = [life for peer in peers for life in (peer.trail, *peer.roots)]
    moves = [site for life in lives for site in life if site.kind == "move"]
    yield from _after(facts, left, moves)
    for site in moves:
        yield from _beside(facts, site)


def _after(facts: Facts, left: Place, moves: list[Origin]) -> Iterator[Fix]:
    name, statement = _given(left.node), left.outline.statement_of(left.node)
    if name is None or not _goes_on_with(statement, name):
        return
    found = device_expression.chosen(facts, Place(left.path, left.outline, statement))
    suffix = f".to({found.code})" if found is not None else ""
    scope = left.outline.scope(left.node)
    for site in moves if found is None else ():
        there = (
            place_at(facts, site.path, site.span) if (site.path, site.scope) == (left.path, scope) else None
        )
        suffix = suffix or (_literal(there) if there is not None else "")
    if suffix:
        yield _fix(left, InsertAfter(left.outline.source.span(statement), f"{name}{suffix}"), name)


def _goes_on_with(statement: ast.stmt, name: str) -> bool:
    """Whether a name is behind a statement what it was before: behind ``results = trainer.test(net)``, too."""
    targets = map(ast.unparse, statement.targets) if isinstance(statement, ast.Assign) else ()
    return isinstance(statement, (ast.Assign, ast.Expr)) and name not in targets


def _beside(facts: Facts, site: Origin) -> Iterator[Fix]:
    """In a function whose only module is one that it is given, before the statement that moves what the module gets."""
    place = place_at(facts, site.path, site.span)
    function = place.outline.function_of(place.node) if place is not None else None
    if place is None or function is None:
        return
    name = _only_module(facts, place, function)
    statement = place.outline.statement_of(place.node)
    if name is None or place.outline.block_of(statement) is not function.body:
        return
    found = device_expression.chosen(facts, Place(place.path, place.outline, statement))
    suffix = f".to({found.code})" if found is not None else _literal(place)
    if suffix:
        yield _fix(place, InsertBefore(place.outline.source.span(statement), f"{name}{suffix}"), name)


def _fix(place: Place, edit: Edit, name: str) -> Fix:
    return Fix(
        f"move `{name}` to the device of its inputs", (FileEdit(place.path, edit),), Applicability.SAFE
    )


def _given(call: ast.AST) -> str | None:
    """The name of the module that a framework was given."""
    if not isinstance(call, ast.Call):
        return None
    told = [keyword.value for keyword in call.keywords if keyword.arg == _MODEL]
    return next((dotted(value) for value in (*told, *call.args[:1])), None)


def _only_module(facts: Facts, place: Place, function: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """The one parameter of a function that stands for a module."""
    bindings = facts.bindings(place.path, place.outline.scope(place.node))
    names = [each.arg for each in parameters_of(function)]
    found = [name for name in names if any(each.kind == "module" for each in bindings.get(name, ()))]
    return found[0] if len(found) == 1 else None


def _literal(place: Place) -> str:
    """``.cuda()`` or ``.to("cuda")`` as it is written for the inputs, where it names nothing."""
    call = place.node
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.keywords:
        return ""
    told = all(isinstance(arg, ast.Constant) for arg in call.args)
    return f".{call.func.attr}({', '.join(map(ast.unparse, call.args))})" if told else ""
