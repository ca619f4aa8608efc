"""Records: dataclasses that are made and copied by the hundred thousand, and how to copy them.

To make one that ``dataclasses`` froze, or to copy it with ``dataclasses.replace``, takes several times as long. These are
frozen for type checkers alone: nobody changes one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform

    _for_type_checkers = dataclass_transform(frozen_default=True, field_specifiers=(field,))
else:

    def _for_type_checkers(decorator: object) -> object:
        return decorator


Copied = TypeVar("Copied")
Recorded = TypeVar("Recorded")

#: What makes a copy of each class.
_COPIERS: dict[type, Callable[[Any], Any]] = {}


@_for_type_checkers
def frozen(cls: type[Recorded]) -> type[Recorded]:
    """A dataclass with slots that is compared and hashed by its fields, and never changed."""
    return dataclass(slots=True, unsafe_hash="__hash__" not in cls.__dict__)(cls)


def replace(value: Copied, /, **changes: Any) -> Copied:
    """A copy of a dataclass with slots, and with ``changes``; what ``__init__`` would do is not done."""
    cls = value.__class__
    copier = _COPIERS.get(cls)
    if copier is None:
        copier = _COPIERS[cls] = _copier(cls)
    made: Copied = copier(value)
    for name, changed in changes.items():
        setattr(made, name, changed)
    return made


def _copier(cls: type) -> Callable[[Any], Any]:
    """A function that copies the fields one after the other, without a loop."""
    lines = ["def copy(value):", "    made = new(cls)"]
    lines += [f"    made.{each.name} = value.{each.name}" for each in fields(cls)]
    found: dict[str, Any] = {"cls": cls, "new": cls.__new__}
    exec("\n".join([*lines, "    return made"]), found)  # noqa: S102 - as dataclasses make their methods
    copy: Callable[[Any], Any] = found["copy"]
    return copy
