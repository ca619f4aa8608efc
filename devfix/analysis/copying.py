"""Copies of values with some fields changed; ``dataclasses.replace`` takes several times as long."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

Copied = TypeVar("Copied")

_Part = tuple[str, Callable[[Any], Any], Callable[[Any, Any], None]]
#: How the fields of each class are read and written, whether or not it is frozen.
_PARTS: dict[type, tuple[_Part, ...]] = {}


def replace(value: Copied, /, **changes: Any) -> Copied:
    """A copy of a dataclass with slots, and with ``changes``; what ``__init__`` would do is not done."""
    cls = value.__class__
    parts = _PARTS.get(cls) or _parts(cls)
    made = cls.__new__(cls)
    left = len(changes)
    for name, get, put in parts:
        if left and name in changes:
            left -= 1
            put(made, changes[name])
        else:
            put(made, get(value))
    if left:
        raise TypeError(f"{cls.__name__} has not all of the fields {sorted(changes)}")
    return made


def _parts(cls: type) -> tuple[_Part, ...]:
    """Each field's name and its slot's two ways."""
    slots = [(field.name, getattr(cls, field.name)) for field in fields(cls)]
    parts = _PARTS[cls] = tuple((name, slot.__get__, slot.__set__) for name, slot in slots)
    return parts
