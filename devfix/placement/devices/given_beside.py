"""Given beside: what a module makes goes where a parameter is that moves at the same time, since both are used together."""

from __future__ import annotations

from collections.abc import Iterable

from devfix.analysis.record.facts import Facts
from devfix.findings import Origin
from devfix.placement.devices.boundness import is_bound
from devfix.placement.devices.device_expression import Place, is_in_module


def named(facts: Facts, place: Place, lives: Iterable[tuple[Origin, ...]]) -> str | None:
    """``x`` in a method that makes something for ``torch.cat([x, grid])``, where ``lives`` has that of ``x``.

    Whoever calls the method moves ``x``; the method has no need of the name by which they know the device.
    """
    if not is_in_module(facts, place):
        return None
    scope = place.outline.scopes(place.node)[0]
    known = facts.bindings(place.path, scope)
    for site in (site for life in lives for site in life):
        if (site.kind, site.path, site.scope) != ("argument", place.path, scope):
            continue
        # What else has the name may be elsewhere.
        bound = known.get(site.text, [])
        given = all(each.kind == "tensor" and each.statement is None for each in bound)
        if bound and given and is_bound(place.outline, place.node, site.text):
            return site.text
    return None
