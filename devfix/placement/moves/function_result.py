"""Function results: what a function makes moves where the method of a module hands it on, or where it is called."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import islice

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.docstrings import is_text
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import only_return
from devfix.findings import FileEdit, Origin
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves import suffixes
from devfix.placement.telling import told_function
from devfix.placement.text.provenance import MADE, left_behind

Trail = tuple[Origin, ...]
Edits = tuple[FileEdit, ...]
#: With fewer uses that fail, the value moves where it is used.
_FEWEST = 2
_MOVES = frozenset({"to", "cuda"})


def where_returned(facts: Facts, trails: Sequence[Trail]) -> Edits:
    """``return grid(size).to(device)`` in a property of a module, once for all who read it.

    Where one function outside of modules makes all the values, and this method alone calls it.
    """
    if facts.program.adopts or len({(life[0].path, life[0].scope) for life in trails if life}) != 1:
        return ()
    born = next(life[0] for life in trails if life)
    place = place_at(facts, born.path, born.span)
    maker = place.outline.function_of(place.node) if place is not None else None
    if place is None or not isinstance(maker, ast.FunctionDef) or maker not in place.outline.source.tree.body:
        return ()
    # Whoever fails may be one of many that call it: no more is looked at for each than tells so.
    calls = list(islice(told_function.calls(facts, place.outline, maker), 2))
    call = calls[0] if len(calls) == 1 else None
    if call is None or not _gives_tensor_to_many(facts, place.outline, maker, born):
        return ()
    found = device_expression.find(facts, call, []) if _is_handed_on(facts, call) else None
    if found is None:
        return ()
    moved = suffixes.added(facts, call.outline, call.node, f".to({found.code})")
    return (*found.edits, *moved) if moved else ()


def _gives_tensor_to_many(facts: Facts, outline: Outline, maker: ast.FunctionDef, born: Origin) -> bool:
    """Whether a function gives back a single tensor, and what comes of it fails in several places."""
    returned = only_return(maker)
    given = returned.value if returned is not None else None
    span = outline.source.span(given) if given is not None else None
    is_tensor, sinks = False, set()
    for mismatch in facts.mismatches("device"):
        for operand in mismatch.operands if mismatch.path in facts.program.sources else ():
            lives = (operand.trail, *operand.roots) if operand.device == "cpu" else ()
            if any(life and (life[0].path, life[0].scope) == (born.path, born.scope) for life in lives):
                sinks.add((mismatch.path, mismatch.sink))
                is_tensor |= any(site.path == born.path and site.span == span for site in operand.trail)
    return is_tensor and len(sinks) >= _FEWEST


def where_called(facts: Facts, trails: Sequence[Trail]) -> Edits:
    """``None if done else encode(pos).to(device)``: the one call that gave a value of which nobody knows where it went.

    All others of a program that has just got its device are moved already, or gave a value that is known to be left behind.
    """
    found: dict[FileEdit, None] = {}
    for life in trails if facts.program.adopts else ():
        call = _only_caller(facts, life)
        device = device_expression.find(facts, call, []) if call is not None else None
        if call is None or device is None:
            return ()
        moved = suffixes.added(facts, call.outline, call.node, f".to({device.code})")
        found.update(dict.fromkeys((*device.edits, *moved)))
    return tuple(found)


def _only_caller(facts: Facts, life: Trail) -> Place | None:
    """The call of the function that made and gave back a value, if it is the only one that can have given it."""
    born = life[0] if life else None
    place = place_at(facts, born.path, born.span) if born is not None and born.kind in MADE else None
    maker = place.outline.function_of(place.node) if place is not None else None
    if born is None or place is None or not isinstance(maker, ast.FunctionDef):
        return None
    returned = only_return(maker)
    if returned is None or returned.value is None or maker not in place.outline.source.tree.body:
        return None
    if any((site.path, site.scope) != (born.path, born.scope) for site in life):
        return None  # it is known where it went
    if not _is_last_of(life, returned.value, place.outline):
        return None
    calls = list(told_function.calls(facts, place.outline, maker))
    left = [
        call for call in calls if call is None or not (_is_moved(call) or _has_arrived(facts, call, born))
    ]
    only = left[0] if len(left) == 1 else None
    return only if only is not None and not device_expression.is_in_module(facts, only) else None


def _is_last_of(life: Trail, value: ast.expr, outline: Outline) -> bool:
    """Whether an expression is what a value was known as last: its name, or what made it."""
    last = life[-1]
    if isinstance(value, ast.Name):
        return last.kind == "name" and last.text == value.id
    return last.span == outline.source.span(value)


def _is_moved(call: Place) -> bool:
    """Whether what a call gives is moved at once."""
    method = call.outline.parents[call.node]
    return isinstance(method, ast.Attribute) and method.attr in _MOVES


def _has_arrived(facts: Facts, call: Place, born: Origin) -> bool:
    """Whether what is left behind somewhere is known to come from a call."""
    whole = call.outline.source.span(call.outline.statement_of(call.node))
    return any(
        site.path == call.path and whole.contains(site.span)
        for life in left_behind(facts)
        if life[:1] == (born,)
        for site in life[1:]
    )


def _is_handed_on(facts: Facts, call: Place) -> bool:
    """Whether a method of a module gives back what a call gives, and does nothing else."""
    function, statement = call.outline.function_of(call.node), call.outline.parents[call.node]
    body = function.body if isinstance(function, ast.FunctionDef) else []
    told = [node for node in body if not is_text(node)]
    return (
        told == [statement]
        and isinstance(statement, ast.Return)
        and device_expression.is_in_module(facts, call)
    )
