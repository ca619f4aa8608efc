"""Reaching: whether what a binding made of a name holds where a fix would use the name."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import Device
from devfix.analysis.record.recorder import Binding
from devfix.analysis.text.scope_names import COMPREHENSIONS
from devfix.analysis.text.syntax import in_rows
from devfix.placement.devices.boundness import binds_always
from devfix.placement.text.naming import given

if TYPE_CHECKING:
    from devfix.analysis.record.facts import Facts
    from devfix.findings import Operand
    from devfix.placement.devices.device_expression import Place


def is_wanted(device: Device | None) -> bool:
    """Whether a device is an accelerator, where fixes move things."""
    return device is not None and device.is_accelerator


def lasting(place: Place, bindings: list[Binding]) -> list[Binding]:
    """What an attribute is bound to in the end: a module that is made on the CPU and moved further down is where it moved."""
    moved = [each for each in bindings if each.kind == "module" and is_wanted(each.device) and each.statement]
    return [each for each in bindings if not any(_comes_before(place, each, move) for move in moved)]


def _comes_before(place: Place, binding: Binding, move: Binding) -> bool:
    """Whether a module is bound above the move of it in one function, or in the constructor where another method moves it."""
    if binding.kind != "module" or is_wanted(binding.device) or not binding.statement or not move.statement:
        return False
    made, moved = place.outline.statement_at(binding.statement), place.outline.statement_at(move.statement)
    if made is None or moved is None:
        return False
    maker, mover = place.outline.function_of(made), place.outline.function_of(moved)
    if maker is mover:
        return made.lineno < moved.lineno
    return isinstance(maker, ast.FunctionDef) and maker.name == "__init__"


def begun(bindings: list[Binding]) -> list[Binding]:
    """The bindings without a device that is taken over in a run that nobody began, where another run tells which one."""
    told = [
        each
        for each in bindings
        if each.kind != "device" or each.device is None or each.device.kind != "same-as"
    ]
    return told or bindings


def is_usable(place: Place, scope: str, bindings: list[Binding], kind: str) -> bool:
    """Whether a name stands for the accelerator (or something on it) at the place."""
    wanted = []
    bindings = _decided(given(in_sight(place, bindings)), kind)
    for binding in bindings:
        if binding.kind == kind and is_wanted(binding.device):
            wanted.append(binding)
        elif not _is_replaced(place, scope, binding, bindings):
            return False
    if any(binding.statement is None for binding in wanted):
        return True
    return any(reaches(place, scope, binding) for binding in wanted)


def _decided(bindings: list[Binding], kind: str) -> list[Binding]:
    """The bindings without those of runs that nobody began, where another run of the statement has the accelerator.

    What such a run is given is wherever its other values are, so the name stands for their device there too.
    """
    decided = {each.statement for each in bindings if each.kind == kind and is_wanted(each.device)}
    return [
        each
        for each in bindings
        if each.kind != kind
        or each.statement not in decided
        or each.device is None
        or each.device.kind != "same-as"
    ]


def has_parameters(facts: Facts, place: Place, name: str) -> bool:
    """Whether no module that a name stands for is one without parameters, as an activation in the turn of a loop."""
    bindings = facts.bindings(place.path, place.outline.scopes(place.node)[0]).get(name, [])
    return all(each.kind != "module" or each.device is not None for each in bindings)


def is_only_used(place: Place, peer: Operand) -> bool:
    """Whether the function around a place is the one that uses the peer, and never binds its name."""
    function = place.outline.function_of(place.node)
    node = place.outline.expression_at(peer.span)
    if function is None or node is None or place.outline.function_of(node) is not function:
        return False
    stores = (part for part in in_rows(function) if isinstance(part, ast.Name) and part.id == peer.text)
    return not any(isinstance(part.ctx, ast.Store) for part in stores)


def may_be_packed(place: Place, facts: Facts, node: ast.AST) -> bool:
    """Whether a variable may hold a packed sequence at the place, which has no ``device``: no later tensor took its place."""
    outline = place.outline
    if not isinstance(node, ast.Name):
        return False
    known = facts.bindings(place.path, outline.scopes(node)[0]).get(node.id, [])
    statements = [(each, outline.statement_at(each.statement)) for each in known if each.statement]
    again = [at for each, at in statements if each.kind != "packed" and at and outline.dominates(at, node)]
    return any(
        each.kind == "packed" and at is not None and not any(other.lineno > at.lineno for other in again)
        for each, at in statements
    )


def in_sight(place: Place, bindings: Iterable[Binding]) -> list[Binding]:
    """The bindings of a name but those that comprehensions elsewhere make for themselves."""
    return [each for each in bindings if _is_within(place, each) is not False]


def _is_within(place: Place, binding: Binding) -> bool | None:
    """Whether the comprehension that makes a binding is around the place; None for any other binding."""
    span = binding.statement
    node = place.outline.expression_at(span) if span is not None else None
    if span is None or not isinstance(node, COMPREHENSIONS):
        return None
    return span.contains(place.outline.source.span(place.node))


def _is_replaced(place: Place, scope: str, binding: Binding, others: list[Binding]) -> bool:
    """Whether the CPU is only chosen for want of an accelerator, which a later ``if`` beside it then looks for.

    A module is made on the CPU, and moved on the way to the place; a tensor comes from there, and is.
    """
    if binding.kind not in ("device", "module", "tensor", "none") or is_wanted(binding.device):
        return False
    first = place.outline.statement_at(binding.statement) if binding.statement is not None else None
    if first is None:
        return False
    if binding.kind == "none":
        return _is_filled(place, scope, first, others)
    if binding.kind in ("module", "tensor"):
        return any(
            other.kind == binding.kind and _is_moved_by(place, scope, first, other) for other in others
        )
    for other in others:
        later = place.outline.statement_at(other.statement) if other.statement is not None else None
        if later is None or other.kind != "device" or not is_wanted(other.device):
            continue
        choice = _whole_choice(place, later)
        beside = place.outline.parents[choice] is place.outline.parents[first]
        if choice is not later and beside and choice.lineno > first.lineno and reaches(place, scope, other):
            return True
    return False


def _is_filled(place: Place, scope: str, first: ast.stmt, others: list[Binding]) -> bool:
    """Whether ``device = None`` only says that there is such a name, which every branch of what follows beside it binds."""
    target = first.targets[0] if isinstance(first, ast.Assign) and len(first.targets) == 1 else None
    if not isinstance(target, ast.Name):
        return False
    for other in others:
        later = place.outline.statement_at(other.statement) if other.statement is not None else None
        if later is None or other.kind != "device" or not is_wanted(other.device):
            continue
        choice = _whole_choice(place, later)
        beside = place.outline.parents[choice] is place.outline.parents[first]
        if beside and choice.lineno > first.lineno and binds_always(choice, target.id):
            return reaches(place, scope, other)
    return False


def _is_moved_by(place: Place, scope: str, first: ast.stmt, other: Binding) -> bool:
    """Whether what ``first`` bound is on the accelerator since a later binding that every way to the place passes."""
    later = place.outline.statement_at(other.statement) if other.statement is not None else None
    if later is None or not is_wanted(other.device):
        return False
    if other.kind == "tensor" and _whole_choice(place, later) is not later:
        return False  # a test of data may have left it where it was
    return later.lineno > first.lineno and reaches(place, scope, other)


def reaches(place: Place, scope: str, binding: Binding) -> bool:
    """Whether every way to the place passes a binding."""
    if binding.statement is None:
        return True
    within = _is_within(place, binding)
    statement = place.outline.statement_at(binding.statement)
    if within is not None or statement is None:
        return within is True
    bound, statement = statement, _whole_choice(place, statement)
    if bound is not statement and not _binds_attribute_always(statement, bound):
        return False
    if scope == place.outline.scopes(place.node)[0]:
        if _is_in_loop(place, statement):
            return True
        return place.outline.dominates(statement, place.node) and not _around(place, statement)
    # A name of an outer scope: bound for certain when that scope's code got that far.
    parent = place.outline.parents[statement]
    outer = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)
    return isinstance(parent, outer) or _in_same_guard(place, parent)


def _binds_attribute_always(choice: ast.stmt, bound: ast.stmt) -> bool:
    """Whether each branch sets the attribute that ``bound`` sets in one; of names boundness tells by itself."""
    targets = bound.targets if isinstance(bound, ast.Assign) else []
    attributes = (target for target in targets if isinstance(target, ast.Attribute))
    return all(binds_always(choice, ast.unparse(target)) for target in attributes)


def _whole_choice(place: Place, statement: ast.stmt) -> ast.stmt:
    """The outermost ``if`` that the binding is a branch of, and the place is not."""
    above = place.outline.parents[statement]
    while isinstance(above, ast.If) and not _in_same_guard(place, above):
        statement, above = above, place.outline.parents[above]
    return statement


def _is_in_loop(place: Place, statement: ast.stmt) -> bool:
    """Whether the place is in the body of a loop, where the loop's target is bound."""
    body = statement.body if isinstance(statement, (ast.For, ast.AsyncFor)) else []
    return any(part in body for part in (place.node, *place.outline.around(place.node)))


def _around(place: Place, statement: ast.stmt) -> bool:
    """Whether the statement contains the place (a loop's own target is bound inside of it)."""
    if isinstance(statement, (ast.For, ast.AsyncFor, ast.With, ast.AsyncWith)):
        return False
    return statement is place.node or statement in place.outline.around(place.node)


def _in_same_guard(place: Place, parent: ast.AST) -> bool:
    return parent in place.outline.around(place.node)
