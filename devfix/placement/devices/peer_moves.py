"""Peer moves: the device that a peer is made on or moved to where it is written, by an expression that names it elsewhere, too."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.text.syntax import in_rows
from devfix.placement.devices import meeting
from devfix.placement.text.dependence import dotted, entry_named

#: Statements that are always gone through to their end, if nothing is raised.
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Pass)

if TYPE_CHECKING:
    from devfix.findings import Operand
    from devfix.placement.devices.device_expression import Place


def told(place: Place, peer: Operand) -> str | None:
    """The device of a peer that the place meets: ``torch.ones(3, device=x.device)``; ``y.to(self.model.device)`` of any."""
    return _made_on(place, peer) or _moved_to(place, peer)


def _made_on(place: Place, peer: Operand) -> str | None:
    """The device that the call is told which makes the operand where they meet."""
    made = place.outline.expression_at(peer.span) if meeting.is_within(place, peer) else None
    while isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute):
        given = next((each.value for each in made.keywords if each.arg == "device"), None)
        if given is not None:
            return dotted(given) or entry_named(place.outline, given)
        made = made.func.value
    return None


def _moved_to(place: Place, peer: Operand) -> str | None:
    """What an object has as a device, to which a peer is moved in the same method, where nothing there sets it."""
    node = place.outline.expression_at(peer.span) if peer.path == place.path else None
    function = place.outline.function_of(place.node)
    receiver = place.outline.receiver_name(function)
    if (
        function is None
        or receiver is None
        or node is None
        or place.outline.function_of(node) is not function
    ):
        return None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return None
    is_move = any(origin.kind == "move" and origin.span == peer.span for origin in peer.trail)
    named = dotted(node.args[0]) if is_move and node.func.attr == "to" else None
    if named is None or not named.startswith(f"{receiver}.") or not named.endswith(".device"):
        return None
    if not _is_sure(place, node, receiver):
        return None
    set_here = (
        dotted(part) for part in in_rows(function) if isinstance(getattr(part, "ctx", None), ast.Store)
    )
    return None if any(each and f"{named}.".startswith(f"{each}.") for each in set_here) else named


def _is_sure(place: Place, move: ast.expr, receiver: str) -> bool:
    """Whether the object has, where the place is, what it has where the peer is moved, however it came to it.

    What lies between them, if the place is the earlier one, neither calls a method of the object, which may set it, nor asks anything.
    """
    outline = place.outline
    here, there = outline.statement_of(place.node), outline.statement_of(move)
    block = outline.block_of(here)
    if here is there or outline.dominates(there, here):
        return True
    if there not in block or block.index(there) < block.index(here):
        return False
    between = block[block.index(here) : block.index(there)]
    return all(isinstance(each, _SIMPLE) and not _hands_on(each, receiver) for each in between)


def _hands_on(statement: ast.stmt, receiver: str) -> bool:
    """Whether a statement calls a method of an object, or gives the object to something."""
    calls = [node for node in in_rows(statement) if isinstance(node, ast.Call)]
    used = (
        part for call in calls for part in (call.func, *call.args, *(each.value for each in call.keywords))
    )
    return any(isinstance(part, ast.Name) and part.id == receiver for each in used for part in in_rows(each))
