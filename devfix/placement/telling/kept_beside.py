"""Kept beside: a tensor of the caller's object that is on the accelerator, but for what it became of what was left behind."""

from __future__ import annotations

from collections.abc import Iterable

from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import Binding
from devfix.placement.devices import constructed
from devfix.placement.devices.device_expression import DeviceExpression, Place
from devfix.placement.devices.reaching import is_wanted
from devfix.placement.text import provenance


def device(facts: Facts, place: Place) -> DeviceExpression | None:
    """``self.mass.device``, where the constructor makes that there, and ``self.mass = self.sums / n`` leaves it where the sums are.

    Of the sums some are on the accelerator, and others are what a fix at the place brings there.
    """
    function = place.outline.function_of(place.node)
    receiver = place.outline.receiver_name(function)
    if function is None or receiver is None or getattr(function, "name", "") == "__init__":
        return None
    for name, bindings in sorted(facts.bindings(place.path, place.outline.scope(function)).items()):
        head, _, attribute = name.partition(".")
        if head != "self" or not attribute.isidentifier() or any(each.kind != "tensor" for each in bindings):
            continue
        if _is_there(facts, place, bindings) and constructed.is_set_before(
            facts, place.outline, function, attribute
        ):
            return DeviceExpression(f"{receiver}.{attribute}.device")
    return None


def _is_there(facts: Facts, place: Place, bindings: Iterable[Binding]) -> bool:
    """Whether a constructor makes a tensor on the accelerator, and what takes its place elsewhere is known for left behind."""
    wanted = {each.statement for each in bindings if is_wanted(each.device)}
    made = [constructed.statement_of(place.outline, each) for each in bindings if each.statement in wanted]
    makers = [place.outline.function_of(each) for each in made if each is not None]
    if not any(getattr(maker, "name", "") == "__init__" for maker in makers):
        return False
    strays = [each for each in bindings if not is_wanted(each.device)]
    behind = {
        (site.path, site.span)
        for life in (provenance.left_behind(facts) if strays else ())
        for site in life
        if site.kind == "attribute"
    }
    return all(
        each.statement in wanted
        and each.statement is not None
        and any(path == place.path and each.statement.contains(span) for path, span in behind)
        for each in strays
    )
