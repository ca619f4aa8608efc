"""Object keys: what the keys of a dict are that are no constants, as parameters, layers and futures are."""

from __future__ import annotations

from devfix.analysis.copying import replace
from devfix.analysis.join import join_elements
from devfix.analysis.values import UNKNOWN, Class, External, Function, Obj, Ref, Tensor, Value, members

#: The fact of a dict that says what one of these keys is.
_KEYS = "keys"
_OBJECTS = (Ref, Tensor, Function, Class, External)


def of(obj: Obj) -> Value:
    """What a key of a dict is that is no constant."""
    return obj.facts.get(_KEYS, UNKNOWN)


def added(obj: Obj, *keys: Value) -> Obj:
    """A dict in which there are further keys that are no constants; ``obj`` is what it was before it had them."""
    known = (obj.facts.get(_KEYS, UNKNOWN),) if obj.element is not None else ()
    found = [each for key in (*known, *keys) for each in members(key)]
    if not found or not all(isinstance(each, _OBJECTS) for each in found):
        return without(obj)
    return obj.with_fact(_KEYS, join_elements(found))


def without(obj: Obj) -> Obj:
    """A dict of whose keys that are no constants nothing is known."""
    if _KEYS not in obj.facts:
        return obj
    return replace(obj, facts={name: fact for name, fact in obj.facts.items() if name != _KEYS})
