"""Handing: where code outside of modules gives a value to one, and may well know the device."""

from __future__ import annotations

from devfix.analysis.facts import Facts
from devfix.findings import Operand
from devfix.placement import device_expression
from devfix.placement.causes import Trail
from devfix.placement.device_expression import Place


def places(facts: Facts, operand: Operand) -> list[Place]:
    """The arguments that the operand was, or else those that the values it is computed from were."""
    own = _last(facts, operand.trail)
    found = [own] if own is not None else [_last(facts, root) for root in operand.roots]
    return [place for place in found if place is not None]


def _last(facts: Facts, life: Trail) -> Place | None:
    """The last argument that somebody else than a module gave."""
    for site in reversed(life):
        if site.kind == "given" and site.path in facts.program.sources:
            outline = facts.outline(site.path)
            node = outline.expression_at(site.span)
            place = Place(site.path, outline, node) if node is not None else None
            if place is not None and not device_expression.is_in_module(facts, place):
                return place
    return None
