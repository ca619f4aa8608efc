"""Device keys: dicts that keep each tensor under a key that tells the device it is on, as caches of grids do.

What is found under such a key is on the device of the key, whatever else the dict has.
"""

from __future__ import annotations

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import Device
from devfix.analysis.domain.values import FALSE, TRUE, DeviceValue, Obj, Tensor, TupleValue, Value

#: The fact of a dict that says whether this is so of everything in it.
TOLD = "told by keys"


def added(obj: Obj, key: Value, value: Value) -> Obj:
    """A dict that gets an entry; ``obj`` is what it was before it had it."""
    device = _device_in(key)
    told = device is not None and isinstance(value, Tensor) and value.device == device
    if _is_empty(obj):
        return obj.with_fact(TOLD, TRUE) if told else obj
    return obj if told or TOLD not in obj.facts else obj.with_fact(TOLD, FALSE)


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
    if obj.facts.get(TOLD) != TRUE or not isinstance(value, Tensor):
        return value
    device = _device_in(key)
    return replace(value, device=device, split=None) if device is not None else value


def _device_in(key: Value) -> Device | None:
    """The only device that a key names."""
    parts = key.items if isinstance(key, TupleValue) else (key,)
    devices = [part.device for part in parts if isinstance(part, DeviceValue)]
    return devices[0] if len(devices) == 1 and devices[0].is_known else None
