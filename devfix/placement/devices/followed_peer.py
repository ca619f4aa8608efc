"""Followed peers: a value that a tensor is made to meet tells where to make it, whatever device calls have it on.

Where a call has it on the CPU, what is made stays there, as before.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import CPU
from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.analysis.text.vocabulary import vocabulary
from devfix.placement.devices.boundness import is_bound
from devfix.placement.devices.reaching import in_sight, is_wanted
from devfix.placement.devices.sizing import asks_tensor
from devfix.placement.text import chains
from devfix.placement.text.naming import is_used_as_tensor

if TYPE_CHECKING:
    from devfix.findings import Operand
    from devfix.placement.devices.device_expression import Place

_MOVES = frozenset({"to", "cuda", "cpu"})


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


def parameter(facts: Facts, place: Place, peer: Operand) -> str | None:
    """A parameter that the peer is computed from, which some calls have on the accelerator and others on the CPU."""
    function = place.outline.function_of(place.node)
    node = place.outline.expression_at(peer.span) if peer.path == place.path else None
    if function is None or node is None or place.outline.function_of(node) is not function:
        return None
    names = (part.id for part in in_rows(node) if isinstance(part, ast.Name))
    return next((name for name in names if _is_on_both_sides(facts, place, name, "tensor")), None)


def itself(facts: Facts, place: Place, peer: Operand) -> str | None:
    """Such a parameter where the peer is that, or what its own methods give, none of which moves it."""
    name = parameter(facts, place, peer)
    node = place.outline.expression_at(peer.span) if name is not None else None
    if node is None or chains.name_of(node, ast.Attribute, ast.Call, ast.Subscript) != name:
        return None
    moves = (part for part in in_rows(node) if isinstance(part, ast.Attribute) and part.attr in _MOVES)
    return name if next(moves, None) is None else None


def module(facts: Facts, place: Place, peer: Operand) -> str | None:
    """A module that is a parameter, and meets the operand with its weights: some calls have it on the CPU, too."""
    both = peer.role == "weight" and _is_on_both_sides(facts, place, peer.text, "module")
    return peer.text if both and peer.path == place.path else None


def _is_on_both_sides(facts: Facts, place: Place, name: str, kind: str) -> bool:
    """Whether a parameter of the function around stands for such a thing on the accelerator, and for one on the CPU."""
    function = place.outline.function_of(place.node)
    names = vocabulary(function) if function is not None else None
    if names is None or name not in names.parameters - names.bound:
        return False
    found = facts.bindings(place.path, place.outline.scopes(place.node)[0]).get(name, [])
    both = any(is_wanted(each.device) for each in found) and any(each.device == CPU for each in found)
    return both and all(each.kind == kind for each in found)
