"""Unions of classes: ``list | tuple``, of which an object is an instance that is one of either."""

from __future__ import annotations

from devfix.analysis.domain.values import NONE, Class, External, Union, Value


def of(left: Value, right: Value) -> Value | None:
    """What ``left | right`` is of two classes, or of a class and None; None for anything else."""
    return Union((left, right)) if _is_class(left) and (_is_class(right) or right == NONE) else None


def _is_class(value: Value) -> bool:
    """Whether a value is a class, of the program or by its name: no flag of another package, as ``re.I`` is one."""
    if not isinstance(value, External):
        return isinstance(value, Class)
    package, _, name = value.name.rpartition(".")
    is_named_so = name[:1].isupper() and not name.isupper()
    return package == "builtins" or value.name == "numpy.ndarray" or is_named_so
