"""Lists of modules: what a function makes and returns in a list moves where the list is asked for, if the device is known there."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.findings import FileEdit, Origin, WrapExpression
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.telling import told_function


def moved_by_callers(facts: Facts, made: Origin) -> tuple[FileEdit, ...]:
    """``[model.to(device) for model in make(5)]``, wherever ``def make(n): return [Net() for _ in range(n)]`` is called.

    Nothing where a caller does not know the device, or takes the list apart at once.
    """
    place = place_at(facts, made.path, made.span)
    listed = place.outline.parents.get(place.node) if place is not None else None
    if place is None or not isinstance(listed, ast.ListComp) or listed.elt is not place.node:
        return ()
    function = place.outline.function_of(listed)
    returned = isinstance(place.outline.parents[listed], ast.Return)
    if (
        not returned
        or not isinstance(function, ast.FunctionDef)
        or function not in place.outline.source.tree.body
    ):
        return ()
    moved = [_moved(facts, call) for call in told_function.calls(facts, place.outline, function)]
    return tuple(edit for edits in moved for edit in edits) if all(moved) else ()


def _moved(facts: Facts, call: Place | None) -> tuple[FileEdit, ...]:
    found = device_expression.chosen(facts, call) if call is not None else None
    if call is None or found is None:
        return ()
    around = call.outline.parents[call.node]
    is_kept = isinstance(around, ast.Assign) or (isinstance(around, ast.Call) and call.node in around.args)
    name = "module" if found.code.partition(".")[0] == "model" else "model"
    wrap = WrapExpression(
        call.outline.source.span(call.node), f"[{name}.to({found.code}) for {name} in ", "]"
    )
    return (*found.edits, FileEdit(call.path, wrap)) if is_kept else ()
