"""Followed peers: a value that a tensor is made to meet tells where to make it, whatever device calls have it on.

Where a call has it on the CPU, what is made stays there, as before.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.record.facts import Facts
from devfix.placement.devices.boundness import is_bound
from devfix.placement.devices.reaching import in_sight
from devfix.placement.devices.sizing import asks_tensor
from devfix.placement.text.naming import is_used_as_tensor

if TYPE_CHECKING:
    from devfix.findings import Operand
    from devfix.placement.devices.device_expression import Place


def named(facts: Facts, place: Place, peers: list[Operand]) -> str | None:
    """A variable that is the same tensor where something is made and where it meets that."""
    return next((peer.text for peer in peers if _is_followed(facts, place, peer)), None)


def _is_followed(facts: Facts, place: Place, peer: Operand) -> bool:
    node = place.outline.expression_at(peer.span) if peer.path == place.path and not peer.held else None
    function = place.outline.function_of(place.node)
    if not isinstance(node, ast.Name) or function is None or place.outline.function_of(node) is not function:
        return False
    made, met = place.outline.statement_of(place.node), place.outline.statement_of(node)
    if not place.outline.dominates(made, met) or not is_bound(place.outline, place.node, node.id):
        return False
    known = facts.bindings(place.path, place.outline.scopes(place.node)[0]).get(node.id, [])
    bindings = in_sight(place, known)
    used = is_used_as_tensor(place.outline, place.node, node.id) or asks_tensor(place.node, node.id)
    if used:  # whatever else some calls give does not get there
        bindings = [each for each in bindings if each.kind == "tensor"]
    if not bindings or any(each.kind != "tensor" for each in bindings):
        return False
    stores = (
        each for each in place.outline.occurrences(function, node.id) if not isinstance(each.ctx, ast.Load)
    )
    return not any(made.lineno <= each.lineno <= met.lineno for each in stores)
