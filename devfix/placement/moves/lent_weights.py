"""Lent weights: what was kept on the CPU and is given to a module for one call, as a dict of tensors or several, moves there."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.findings import FileEdit, Operand, ReplaceExpression
from devfix.placement.batches import batch_forms
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import place_at
from devfix.placement.moves import spread_dict
from devfix.placement.text.dependence import dotted

Edits = tuple[FileEdit, ...]
#: How the lives of weights begin that somebody kept on the CPU: others had better be made where they are used.
_KEPT = frozenset({"move", "host-checkpoint"})


def moved(facts: Facts, operand: Operand, peers: list[Operand]) -> Edits:
    """``functional_call(net, {k: v.to(device) for k, v in weights.items()}, x)``, where only dicts have the name."""
    site = operand.trail[-1] if operand.trail else None
    place = place_at(facts, site.path, site.span) if site is not None and site.kind == "given" else None
    found = device_expression.find(facts, place, peers) if place is not None else None
    begun = {life[0].kind for life in (operand.trail, *operand.roots) if life} - {"result"}
    kept = bool(begun) and begun <= _KEPT
    if place is None or found is None or not kept or not isinstance(place.node, ast.expr):
        return ()
    if not isinstance(place.node, ast.Tuple):
        move = spread_dict.moved(facts, place.outline, place.node, f".to({found.code})")
        return (*found.edits, *move) if move else ()
    edits = []
    for node in place.node.elts:  # what stands beside one dict is another one, whatever is known of it
        name = dotted(node)
        if name is None:
            return ()
        code = batch_forms.written("dict", name, found.code)
        edits.append(FileEdit(place.path, ReplaceExpression(place.outline.source.span(node), code)))
    return (*found.edits, *edits)
