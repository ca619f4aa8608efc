"""Folding: operators on Python's own values that are known."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from devfix.analysis.domain.values import UNKNOWN, Const, Scalar, Value

#: Texts that name something are shorter; those that are made of longer ones would fill the memory one day.
LONGEST = 1_000
_MOST_BITS = 256

#: What is raised to a power to write a large number down is small: ``10 ** 9``, ``2 ** 32``.
_MOST_RAISED, _MOST_POWER = 1_000, 64


def _power(base: float, power: float) -> float:
    if abs(base) > _MOST_RAISED or abs(power) > _MOST_POWER or (base < 0 and power != int(power)):
        raise ArithmeticError
    return base**power  # type: ignore[no-any-return]


def _left_shift(number: int, places: int) -> int:
    if places > _MOST_BITS:
        raise ArithmeticError
    return number << places


_PYTHON: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
}
#: Operators that complex numbers have as others do.
_OF_COMPLEX = (ast.Add, ast.Sub, ast.Mult, ast.Div)
#: Operators that only whole numbers have, and truths.
_OF_BITS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.LShift: _left_shift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}


def folded(op: ast.operator, left: Const, right: Const) -> Value:
    """``left op right``, as Python works it out."""
    a, b = left.value, right.value
    whole = isinstance(a, int) and isinstance(b, int)
    fold = _PYTHON.get(type(op)) or (_OF_BITS.get(type(op)) if whole else None)
    plain = (int, float, complex) if isinstance(op, _OF_COMPLEX) else (int, float)
    strings = isinstance(op, ast.Add) and isinstance(a, str) and isinstance(b, str)
    if fold is None or not (strings or (isinstance(a, plain) and isinstance(b, plain))):
        return UNKNOWN
    if isinstance(a, str) and isinstance(b, str) and len(a) + len(b) > LONGEST:
        return Scalar("str")
    try:
        return known(fold(a, b))
    except (ArithmeticError, ValueError):
        if isinstance(a, complex) or isinstance(b, complex):
            return UNKNOWN
        return Scalar("int" if type(op) in _OF_BITS else "float")


def known(value: object) -> Value:
    """A value of Python's own, but not an integer of hundreds of digits: the next one may have thousands."""
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return Scalar("int")
    return Const(value)


def is_inverted(exponent: ast.expr, value: Value) -> bool:
    """Whether a power is a fraction, as ``2 ** -i`` is: whoever turns an exponent round has one above 0."""
    return (
        not isinstance(value, Const)
        and isinstance(exponent, ast.UnaryOp)
        and isinstance(exponent.op, ast.USub)
    )
