"""Settings entries: the device that a dict of settings has where a fix looks for one: ``cfg["device"]``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.placement.devices import named_entry
from devfix.placement.devices.boundness import is_bound
from devfix.placement.devices.reaching import in_sight, is_usable

if TYPE_CHECKING:
    from devfix.analysis.record.facts import Facts
    from devfix.placement.devices.device_expression import Place

#: What an entry is called that names a device, and is not only asked whether to use one.
_CALLED = "device"


def named(facts: Facts, place: Place) -> str | None:
    """The entry of a dict of the function's own, or of one around it that it uses already."""
    return next(_entries(facts, place, strange=False), None)


def of_file(facts: Facts, place: Place) -> str | None:
    """The entry of any dict at hand, where the function would otherwise make a choice of its own."""
    return next(_entries(facts, place, strange=True), None)


def _entries(facts: Facts, place: Place, *, strange: bool) -> Iterator[str]:
    """For each scope, the innermost first, the entry of a dict that is the accelerator whenever the place is reached."""
    inner: list[str] = []
    for scope in place.outline.scopes(place.node):
        known = facts.entries(place.path, scope)
        found = [
            (name, key)
            for name, _, key in (each.partition(".") for each in known)
            if _CALLED in key.lower()
            and "." not in key
            and name not in known
            and not any(in_sight(place, facts.bindings(place.path, each).get(name, [])) for each in inner)
            and (strange or not inner or _is_used(place, name))
            and is_usable(place, scope, known[f"{name}.{key}"], "device")
            and is_bound(place.outline, place.node, name)
            and named_entry.is_settled(place, name, key)
        ]
        if found:
            name, key = min(found, key=lambda each: (each[1] != _CALLED, len(each[1]), each))
            yield _spelt(place, name, key)
        inner.append(scope)


def _is_used(place: Place, name: str) -> bool:
    """Whether the function around a place asks for a name."""
    function = place.outline.function_of(place.node)
    return function is not None and bool(place.outline.occurrences(function, name))


def _spelt(place: Place, name: str, key: str) -> str:
    """The entry with the quotes that the file has around such keys."""
    text = place.outline.source.text
    quote = "'" if "['" in text and '["' not in text else '"'
    return f"{name}[{quote}{key}{quote}]"
