"""Number types: of which type a number is, that may be whole in one case and a fraction in another."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.values import Scalar, Value

#: The type of what is whole or not; no table of dtypes has it.
MIXED = "int or float"


def exact_type(value: Value) -> str | None:
    """The type name of a simple Python object, :data:`MIXED`, or None."""
    return MIXED if isinstance(value, Scalar) and value.mixed else scalar_type(value)


def any_of_type(value: Value) -> Scalar | None:
    """Any object of the type of a simple one; None of others."""
    kind = scalar_type(value)
    return None if kind is None else Scalar(kind, mixed=exact_type(value) == MIXED)


def computed(types: AbstractSet[str | None]) -> Scalar:
    """A number that is computed of numbers of these types."""
    if MIXED in types and "float" not in types:
        return Scalar("float", mixed=True)
    return Scalar("int" if types <= {"int", "bool"} else "float")
