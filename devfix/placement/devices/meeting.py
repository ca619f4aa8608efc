"""Meeting: whether what is moved at a place meets a peer there, so that the peer is what it is when they meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from devfix.findings import Operand
    from devfix.placement.devices.device_expression import Place


def is_within(place: Place, peer: Operand) -> bool:
    """Whether the peer stands in the statement at a place."""
    statement = place.outline.source.span(place.outline.statement_of(place.node))
    return statement.contains(peer.span)


def is_at_once(place: Place, peer: Operand) -> bool:
    """Whether the statement at a place meets the peer by itself: before the body of a block it may be something else."""
    if not is_within(place, peer):
        return False
    node = place.outline.expression_at(peer.span)
    return node is None or place.outline.statement_of(node) is place.outline.statement_of(place.node)
