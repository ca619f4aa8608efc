"""Records: dataclasses that are made by the hundred thousand.

To make one that ``dataclasses`` froze takes several times as long. These are frozen for type checkers alone: nobody changes one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object) -> Callable[[Any], Any]:
        """What tells type checkers that a decorator makes dataclasses; a run needs none of it."""
        return lambda decorator: decorator


Recorded = TypeVar("Recorded")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[Recorded]) -> type[Recorded]:
    """A dataclass with slots that is compared and hashed by its fields, and never changed."""
    return dataclass(slots=True, unsafe_hash="__hash__" not in cls.__dict__)(cls)


@dataclass_transform(frozen_default=True, order_default=True, field_specifiers=(field,))
def ordered(cls: type[Recorded]) -> type[Recorded]:
    """The same, of which one goes before another by its fields."""
    return dataclass(slots=True, order=True, unsafe_hash="__hash__" not in cls.__dict__)(cls)
