"""Device keys: dicts that keep tensors under a key that tells the device they are on, as caches of grids do.

What is found under such a key is on the device of the key, whatever else the dict has.
"""

from __future__ import annotations

from collections.abc import Iterable

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import Device
from devfix.analysis.domain.values import FALSE, TRUE, DeviceValue, Obj, Sequence, Tensor, TupleValue, Value

#: The fact of a dict that says whether this is so of everything in it.
TOLD = "told by keys"


def added(obj: Obj, key: Value, value: Value) -> Obj:
    """A dict that gets an entry; ``obj`` is what it was before it had it."""
    told = _tells(key, value)
    if _is_empty(obj):
        return obj.with_fact(TOLD, TRUE) if told else obj
    return obj if told or TOLD not in obj.facts else obj.with_fact(TOLD, FALSE)


def written_out(obj: Obj, pairs: Iterable[tuple[Value, Value]]) -> Obj:
    """A dict that has these entries and no others."""
    told = [_tells(key, value) for key, value in pairs]
    return obj.with_fact(TOLD, TRUE) if told and all(told) and not obj.attrs else obj


def mixed(obj: Obj) -> Obj:
    """A dict that took over what others hold, of whose keys nobody knows."""
    return obj.with_fact(TOLD, FALSE) if TOLD in obj.facts else obj


def of_either(a: Obj, b: Obj) -> Value:
    """Whether it is so of what is one of two dicts; in one that is empty nothing speaks against it."""
    told = [obj.facts.get(TOLD) == TRUE for obj in (a, b) if not _is_empty(obj)]
    return TRUE if all(told) else FALSE


def _is_empty(obj: Obj) -> bool:
    return obj.element is None and not obj.attrs and not obj.items


def found(obj: Obj, key: Value, value: Value) -> Value:
    """What a dict gives for a key, where its keys tell devices."""
    if obj.facts.get(TOLD) != TRUE or not _tensors(value):
        return value
    device = _device_in(key)
    if device is None:
        return value
    if isinstance(value, TupleValue):
        return TupleValue(tuple(replace(each, device=device, split=None) for each in _tensors(value)))
    (tensor,) = _tensors(value)
    moved = replace(tensor, device=device, split=None)
    return Sequence(moved) if isinstance(value, Sequence) else moved


def _tells(key: Value, value: Value) -> bool:
    """Whether a key says where the tensors are that are kept under it."""
    device, tensors = _device_in(key), _tensors(value)
    return device is not None and bool(tensors) and all(each.device == device for each in tensors)


def _tensors(value: Value) -> tuple[Tensor, ...]:
    """A tensor, or all that a tuple or a list of nothing but tensors has."""
    parts = value.items if isinstance(value, TupleValue) else (value,)
    if isinstance(value, Sequence):
        parts = (value.element,)
    tensors = tuple(part for part in parts if isinstance(part, Tensor))
    return tensors if len(tensors) == len(parts) else ()


def _device_in(key: Value) -> Device | None:
    """The only device that a key names."""
    parts = key.items if isinstance(key, TupleValue) else (key,)
    devices = [part.device for part in parts if isinstance(part, DeviceValue)]
    return devices[0] if len(devices) == 1 and devices[0].is_known else None
