"""Moved at use: what a program keeps on the CPU, and moves wherever it uses it, moves where that was forgotten as well."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import FileEdit, Operand, Origin
from devfix.placement.devices import device_expression
from devfix.placement.devices.boundness import decides
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.devices.move_guards import tests_around
from devfix.placement.devices.reaching import is_wanted
from devfix.placement.moves import suffixes
from devfix.placement.moves.argument_move import parameter_at
from devfix.placement.siblings import sibling_move
from devfix.placement.text import chains

Edits = tuple[FileEdit, ...]

_PARTS = (ast.Subscript,)
#: Methods that run when an object itself is called.
_OF_CALLS = ("forward", "__call__")


def beside_others(facts: Facts, operand: Operand) -> Edits:
    """``net(data.to(device))`` where the file has ``net(data[i].to(device))`` as well: ``data`` itself stays.

    It is the first name that the value got, and nothing else gets this name. So it is with what a function gives.
    """
    if edits := _as_other_calls(facts, operand):
        return edits
    place = _named(facts, operand)
    if place is None or facts.program.adopts or not _is_only_name(place):
        return ()
    uses = list(_uses(place))
    forgotten = [use for use in uses if _leads_to(facts, place, use, operand) and _is_same(place, use)]
    moved = ((suffix, use) for use in uses if (suffix := _move_of(place, use)) and _is_same(place, use))
    suffix = next((suffix for suffix, use in moved if _moves_anyway(place.outline, use, forgotten)), "")
    if not suffix or sibling_move.names(suffix, ast.unparse(place.node)):
        return ()
    if not all(_is_known(facts, place, use, suffix) for use in forgotten):
        return ()
    wraps = [suffixes.added(facts, place.outline, use, suffix) for use in forgotten]
    return tuple(edit for wrap in wraps for edit in wrap) if all(wraps) else ()


def _as_other_calls(facts: Facts, operand: Operand) -> Edits:
    """``draw(n).to(device)`` for the one ``draw(n)`` of a file whose result does not move."""
    place = place_at(facts, operand.path, operand.span)
    if place is None or not isinstance(place.node, ast.Call) or facts.program.adopts:
        return ()
    called, outline = ast.unparse(place.node.func), place.outline
    name = called.rpartition(".")[2]
    calls = outline.calls(name) if name in outline.functions else ()
    moves: list[str] = []
    for other in calls:
        if other is place.node or ast.unparse(other.func) != called:
            continue
        # The first that does not move is enough: there may be as many of them as findings.
        if not (move := _move_of(Place(place.path, outline, place.node.func), other)):
            return ()
        # What another function is called for only with an accelerator nobody has looked at.
        is_sure = not move.startswith(".cuda(") or outline.function_of(other) is outline.function_of(
            place.node
        )
        moves += [move] if is_sure and _moves_anyway(outline, other, [place.node]) else []
    suffix = next((move for move in moves if _is_known(facts, place, place.node, move)), "")
    return suffixes.added(facts, outline, place.node, suffix) if suffix else ()


def _moves_anyway(outline: Outline, moved: ast.expr, places: list[ast.expr]) -> bool:
    """Whether it can be told that a run which gets to these places moves at another one in any case.

    ``x.cuda() if use_cuda else x`` is none to follow: where there is no accelerator, ``cuda()`` fails.
    """
    return all(tests_around(outline, moved, place) == [] for place in places)


def _named(facts: Facts, operand: Operand) -> Place | None:
    """Where what an operand is, or is taken from, got its first name."""
    born = operand.trail[0] if operand.trail else None
    place = place_at(facts, born.path, born.span) if born is not None and born.kind == "result" else None
    if place is not None and isinstance(place.node, ast.Subscript):
        whole = chains.head(place.node, _PARTS)
        scope = place.outline.scopes(place.node)[0]
        found = facts.bindings(place.path, scope).get(whole.id, []) if isinstance(whole, ast.Name) else []
        spans = {binding.statement for binding in found}
        span = spans.pop() if len(spans) == 1 else None
        statement = place.outline.statement_at(span) if span is not None else None
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        return Place(place.path, place.outline, target) if target is not None else None
    named = next((site for site in operand.trail if site.kind == "name"), None)
    return place_at(facts, named.path, named.span) if named is not None else None


def _is_known(facts: Facts, place: Place, use: ast.expr, suffix: str) -> bool:
    """Whether a suffix moves to the device that is chosen where a value is used."""
    found = device_expression.chosen(facts, Place(place.path, place.outline, use))
    return suffix.startswith(".cuda(") or (found is not None and suffix == f".to({found.code})")


def _is_only_name(place: Place) -> bool:
    """Whether a place is the one target of an assignment that alone decides what the name means."""
    statement = place.outline.statement_of(place.node)
    name = place.node
    return (
        isinstance(statement, ast.Assign)
        and isinstance(name, ast.Name)
        and statement.targets == [name]
        and decides(place.outline, statement, name)
    )


def _uses(place: Place) -> Iterator[ast.expr]:
    """What is read of a name where it may be the same one: the name, or the parts that are taken of it there."""
    function = place.outline.function_of(place.node)
    around = function if function is not None else place.outline.source.tree
    for node in place.outline.occurrences(around, ast.unparse(place.node)):
        if isinstance(node.ctx, ast.Load):
            yield _part(place, node)


def _is_same(place: Place, use: ast.expr) -> bool:
    """Whether a use is in the scope of the name."""
    return place.outline.scopes(use)[0] == place.outline.scopes(place.node)[0]


def _part(place: Place, node: ast.expr) -> ast.expr:
    """``data[i]`` around ``data``."""
    above = place.outline.parents[node]
    while isinstance(above, _PARTS) and above.value is node:
        node, above = above, place.outline.parents[above]
    return node


def _move_of(place: Place, use: ast.expr) -> str:
    """``.to(device)``, where that is what a use is for; "" where the name itself moves, or nothing does."""
    parents = place.outline.parents
    method = parents[use]
    call = parents[method]
    if not isinstance(method, ast.Attribute) or not isinstance(call, ast.Call) or call.func is not method:
        return ""
    chain: ast.AST = call
    while isinstance(above := parents[chain], ast.Attribute) or getattr(above, "func", None) is chain:
        chain = above
    name = ast.unparse(place.node)
    renewed = isinstance(above, ast.Expr) or (isinstance(above, ast.stmt) and sibling_move.binds(above, name))
    return "" if renewed else sibling_move.last_move(call)


def _leads_to(facts: Facts, place: Place, use: ast.expr, operand: Operand) -> bool:
    """Whether a use is the operand, or an argument of the call by which the value came to it."""
    outline = place.outline
    if operand.path == place.path and outline.source.span(use) == operand.span:
        return True
    call = outline.parents[use]
    if not isinstance(call, ast.Call) or use not in call.args:
        return False
    given = next((site for site in operand.trail if site.kind == "argument"), None)
    return given is not None and _is_call_of(facts, place, call, given)


def _is_call_of(facts: Facts, place: Place, call: ast.Call, given: Origin) -> bool:
    """Whether a call is one of the function with a parameter: by its name, or as that of a module on the accelerator."""
    found = parameter_at(facts, given)
    if found is None:
        return False
    called, name = ast.unparse(call.func), found[0].name
    if name not in _OF_CALLS:
        return called.rpartition(".")[2] == name
    bindings = facts.bindings(place.path, place.outline.scopes(call)[0]).get(called, [])
    return any(each.kind == "module" and is_wanted(each.device) for each in bindings)
