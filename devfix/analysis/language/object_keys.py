"""Object keys: what the keys of a dict are that are no constants, as parameters, layers and futures are.

Where they are classes it is known as well what each of them leads to, as in a table of what is done with which type.
"""

from __future__ import annotations

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_elements
from devfix.analysis.domain.values import (
    UNKNOWN,
    Class,
    External,
    Function,
    Obj,
    Ref,
    Tensor,
    TupleValue,
    Value,
    members,
)

#: The fact of a dict that says what one of these keys is.
_KEYS = "keys"
#: The fact of a dict that has pairs of a class and what it leads to.
_ENTRIES = "entries of classes"
#: Tables with more classes are followed as a whole.
_MOST = 32
_OBJECTS = (Ref, Tensor, Function, Class, External)


def of(obj: Obj) -> Value:
    """What a key of a dict is that is no constant."""
    return obj.facts.get(_KEYS, UNKNOWN)


def added(obj: Obj, *keys: Value) -> Obj:
    """A dict in which there are further keys that are no constants; ``obj`` is what it was before it had them."""
    obj = _without(obj, _ENTRIES)
    known = (obj.facts.get(_KEYS, UNKNOWN),) if obj.element is not None else ()
    found = [each for key in (*known, *keys) for each in members(key)]
    if not found or not all(isinstance(each, _OBJECTS) for each in found):
        return without(obj)
    return obj.with_fact(_KEYS, join_elements(found))


def without(obj: Obj) -> Obj:
    """A dict of whose keys that are no constants nothing is known."""
    return _without(_without(obj, _KEYS), _ENTRIES)


def _without(obj: Obj, fact: str) -> Obj:
    if fact not in obj.facts:
        return obj
    return replace(obj, facts={name: kept for name, kept in obj.facts.items() if name != fact})


def without_entries(obj: Obj) -> Obj:
    """A dict from which something was taken out: nobody knows which class still leads anywhere."""
    return _without(obj, _ENTRIES)


def with_entry(obj: Obj, before: Obj, key: Value, value: Value) -> Obj:
    """A dict in which a class leads to ``value``; ``before`` is what it was without that."""
    held = _entries(before)
    if not _is_class(key) or len(held) >= _MOST:
        return obj
    kept = [pair for pair in held if not _is_same(pair.items[0], key)]
    return obj.with_fact(_ENTRIES, TupleValue((*kept, TupleValue((key, value)))))


def with_entries_of(obj: Obj, before: Obj, other: Obj) -> Obj:
    """A dict after ``update(other)``: what is known of the classes of both, the other's last."""
    held = _entries(before)
    if not _entries(other) or (before.element is not None and not held):
        return obj
    for pair in (*held, *_entries(other)):
        obj = with_entry(obj, obj, *pair.items)
    return obj


def entry(obj: Obj, key: Value) -> Value | None:
    """What a class is known to lead to."""
    if not _is_class(key) or obj.element is None:
        return None
    return next((pair.items[1] for pair in _entries(obj) if _is_same(pair.items[0], key)), None)


def _entries(obj: Obj) -> list[TupleValue]:
    held = obj.facts.get(_ENTRIES)
    return (
        [pair for pair in held.items if isinstance(pair, TupleValue)] if isinstance(held, TupleValue) else []
    )


def _is_class(key: Value) -> bool:
    """Whether a key is a class: functions are keys of what an option chooses, which may be any of them."""
    if not isinstance(key, External):
        return isinstance(key, Class)
    package, _, last = key.name.rpartition(".")
    return last[:1].isupper() or package == "builtins" or key.name == "numpy.ndarray"


def _is_same(left: Value, right: Value) -> bool:
    if isinstance(left, External) and isinstance(right, External):
        return left.name == right.name
    return left == right
