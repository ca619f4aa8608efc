"""Entries that a dict was given at times only, and attributes that an object lost at times: what was there before counts, too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import TRUE, UNKNOWN, Obj, Ref, Tensor, TupleValue, Value, is_option

#: So begin the facts of a dict that tell of an entry which it has at times only.
_AT_TIMES = "at times "
#: So begin the facts of an object that tell of an attribute which was dropped, to be computed anew when it is asked for.
_DROPPED = "dropped "
#: Of other values it makes no difference which of two they are.
_PLACED = (Tensor, TupleValue, Ref)


def marked(obj: Obj, names: Iterable[str]) -> Obj:
    """A dict that has the entries of these names at times only."""
    facts = {f"{_AT_TIMES}{name}": TRUE for name in names}
    return obj.with_facts(facts) if facts else obj


def of(obj: Obj | None) -> frozenset[str]:
    """The names of the entries that a dict has at times only."""
    if obj is None or not obj.facts or obj.kind != "dict":
        return frozenset()
    told = (fact.removeprefix(_AT_TIMES) for fact in obj.facts if fact.startswith(_AT_TIMES))
    return frozenset(name for name in told if name in obj.attrs)


def without(obj: Obj, names: Iterable[str]) -> Obj:
    """An object that has lost these attributes, which it computes anew when they are asked for."""
    lost = {f"{_DROPPED}{name}": TRUE for name in names}
    kept = {name: value for name, value in obj.attrs.items() if f"{_DROPPED}{name}" not in lost}
    return replace(obj, attrs=kept, facts={**obj.facts, **lost})


def apart(
    a: Obj, b: Obj, attrs: Mapping[str, Value], facts: Mapping[str, Value]
) -> tuple[dict[str, Value], dict[str, Value]]:
    """Attributes and facts of what is either of two objects, of which one has attributes that the other lacks.

    What one has and the other dropped is not known; an entry that one dict has is there at times.
    """
    lacking = a.attrs.keys() ^ b.attrs.keys()
    if a.kind == "dict":
        placed = {f"{_AT_TIMES}{name}": TRUE for name in lacking if _makes_difference(attrs[name])}
        return dict(attrs), {**facts, **placed}
    if not a.facts and not b.facts:
        return dict(attrs), dict(facts)
    unsure = [name for name in lacking if f"{_DROPPED}{name}" in facts]
    return {**attrs, **dict.fromkeys(unsure, UNKNOWN)}, dict(facts)


def _makes_difference(value: Value) -> bool:
    """Whether it tells something that a value is there at times only: where an option is not, the default counts."""
    return isinstance(value, _PLACED) or is_option(value)
