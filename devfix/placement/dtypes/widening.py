"""Widening: a function that reckons with halves and wider tables hands back what it was given, in the dtype that came in.

``return (x * cos + rotated(x) * sin).to(x.dtype)`` is no cast where ``x`` is as wide as the tables.
"""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.findings import FileEdit, Operand
from devfix.placement.devices.device_expression import place_at
from devfix.placement.devices.source_tensor import names_behind
from devfix.placement.moves import suffixes


def undone(facts: Facts, operand: Operand, wanted: str) -> tuple[FileEdit, ...]:
    """A cast where another function computes the operand, to the dtype of the argument that it is computed from."""
    born = operand.trail[0] if operand.trail else None
    if born is None or born.kind != "result":
        return ()
    given = {
        site.span
        for site in facts.widened
        if (site.path, site.scope, site.text) == (born.path, born.scope, wanted)
    }
    place = place_at(facts, born.path, born.span) if given else None
    function = place.outline.function_of(place.node) if place is not None else None
    if place is None or function is None or not isinstance(place.node, ast.expr):
        return ()
    user = place_at(facts, operand.path, operand.span)
    if user is not None and user.outline is place.outline and user.outline.function_of(user.node) is function:
        return ()
    spec = function.args
    spans = {
        each.arg: place.outline.source.span(each)
        for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)
    }
    for name in names_behind(place.outline, function, [place.node]):
        uses = place.outline.occurrences(function, name)
        if spans.get(name) in given and all(isinstance(use.ctx, ast.Load) for use in uses):
            return suffixes.added(facts, place.outline, place.node, f".to({name}.dtype)")
    return ()
