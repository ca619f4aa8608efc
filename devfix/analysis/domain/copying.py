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
else:

    def dataclass_transform(**_: object) -> Callable[[Any], Any]:
        """What tells type checkers that a decorator makes dataclasses; a run needs none of it."""
        return lambda decorator: decorator


Copied = TypeVar("Copied")
Recorded = TypeVar("Recorded")

#: Sets fields of those that ``dataclasses`` froze, too.
put = object.__setattr__
#: What makes a copy of each class.
_COPIERS: dict[type, Callable[[Any], Any]] = {}


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[Recorded]) -> type[Recorded]:
    """A dataclass with slots that is compared and hashed by its fields, and never changed."""
    return dataclass(slots=True, unsafe_hash="__hash__" not in cls.__dict__)(cls)


def replace(value: Copied, /, **changes: Any) -> Copied:
    """A copy of a dataclass with slots, frozen or not, and with ``changes``; what ``__init__`` does is not done."""
    cls = value.__class__
    copier = _COPIERS.get(cls)
    if copier is None:
        copier = _COPIERS[cls] = _copier(cls)
    made: Copied = copier(value)
    for name, changed in changes.items():
        put(made, name, changed)
    return made


def _copier(cls: type) -> Callable[[Any], Any]:
    """A function that copies the fields one after the other, without a loop."""
    lines = ["def copy(value):", "    made = new(cls)"]
    form = 'put(made, "{0}", value.{0})' if "__setattr__" in cls.__dict__ else "made.{0} = value.{0}"
    lines += [f"    {form.format(each.name)}" for each in fields(cls)]
    found: dict[str, Any] = {"cls": cls, "new": cls.__new__, "put": put}
    exec("\n".join([*lines, "    return made"]), found)  # noqa: S102 - as dataclasses make their methods
    copy: Callable[[Any], Any] = found["copy"]
    return copy
