"""Shared makers: functions that make data for nobody but callers who need it on the accelerator."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.scope_names import only_return
from devfix.findings import Origin
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.siblings.sibling_move import binds, is_placed
from devfix.placement.telling import told_function
from devfix.placement.text.provenance import left_behind, was_returned

Trail = tuple[Origin, ...]
#: With fewer calls, what is made moves where it is handed on.
_FEWEST = 3


def hands_out(facts: Facts, life: Trail, whole: Trail) -> bool:
    """Whether a function handed out the value, and it is for each caller to say where it has to be."""
    return was_returned(facts, life, whole) and not _makes_for_all(facts, life)


def _makes_for_all(facts: Facts, life: Trail) -> bool:
    """Whether what a function makes fails wherever it is called, and one move is better there.

    So it is where it is called often, and where its author put something else there that it gives back.
    """
    place = place_at(facts, life[0].path, life[0].span)
    maker = place.outline.function_of(place.node) if place is not None else None
    if place is None or not isinstance(maker, ast.FunctionDef):
        return False
    calls = list(told_function.calls(facts, place.outline, maker))
    if len(calls) < _FEWEST and not (calls and _places_others(facts, place, maker)):
        return False
    arrived = [site for trail in left_behind(facts) if trail[:1] == life[:1] for site in trail[1:]]
    return all(
        call is not None
        and any(
            site.path == call.path and whole.contains(site.span)
            for whole in [call.outline.source.span(call.outline.statement_of(call.node))]
            for site in arrived
        )
        for call in calls
    )


def _places_others(facts: Facts, place: Place, maker: ast.FunctionDef) -> bool:
    """Whether a function gives back a name for what is at a place, and another for what it has put on the accelerator."""
    given = only_return(maker)
    parts = given.value.elts if given is not None and isinstance(given.value, ast.Tuple) else []
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    own = {name for name in names if binds(place.outline.statement_of(place.node), name)}
    return bool(own) and any(
        binds(statement, name) and is_placed(facts, place, statement, name)
        for name in names - own
        for statement in maker.body
    )
