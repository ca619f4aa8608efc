"""Lost moves: where a loop throws away what it moves, the copies are kept in one way for all that it goes through."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import replace

from devfix.findings import Mismatch, Operand, Origin, Span
from devfix.origin_kinds import OF_LOOPS

_Place = tuple[str, Span]
_Trail = tuple[Origin, ...]


def without_mixed(found: list[Mismatch], remarked: AbstractSet[Origin]) -> list[Mismatch]:
    """The mismatches, which tell nothing of loops that go through a list in one call and through a tuple, say, in another."""
    mixed = _mixed(remarked)
    if not mixed:
        return found
    return list(dict.fromkeys(_untold(each, mixed) for each in found))


def _mixed(remarked: Iterable[Origin]) -> frozenset[_Place]:
    kinds: dict[_Place, set[str]] = {}
    for site in remarked:
        if site.kind in OF_LOOPS:
            kinds.setdefault((site.path, site.span), set()).add(site.kind)
    return frozenset(place for place, several in kinds.items() if len(several) > 1)


def _untold(mismatch: Mismatch, mixed: AbstractSet[_Place]) -> Mismatch:
    return replace(mismatch, operands=tuple(_without(operand, mixed) for operand in mismatch.operands))


def _without(operand: Operand, mixed: AbstractSet[_Place]) -> Operand:
    roots = tuple(_rest(root, mixed) for root in operand.roots)
    return replace(operand, trail=_rest(operand.trail, mixed), roots=roots)


def _rest(trail: _Trail, mixed: AbstractSet[_Place]) -> _Trail:
    return tuple(site for site in trail if site.kind not in OF_LOOPS or (site.path, site.span) not in mixed)
