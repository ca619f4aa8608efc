"""NumPy's dtypes: what data and arithmetic come out as. What NumPy 1 and 2 disagree on is unknown."""

from __future__ import annotations

import ast

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.lattice import (
    FLOATS,
    INTEGERS,
    REAL_OF,
    STORED_INTEGERS,
    promote,
    rank_of_broadcast,
)
from devfix.analysis.domain.number_types import MIXED, exact_type
from devfix.analysis.domain.values import UNKNOWN, Array, Const, Scalar, Sequence, Unknown, Value
from devfix.analysis.record.trails import Trail

#: What a table holds as far as anybody knows: numbers of one of three types, none of which is float32.
WIDE = "int32 or int64 or float64"
#: What Python numbers are as data.
NUMBERS = {"bool": "bool", "int": "int64", "float": "float64"}
_WIDE_INTEGERS = ("int32", "int64")
_OF_NARROW = {
    **dict.fromkeys(("bool", "int8", "uint8"), "float16"),
    **dict.fromkeys(("int16", "uint16"), "float32"),
}


def as_python(array: Array, *, listed: bool) -> Value:
    """The number of Python that ``item`` takes out, or what ``tolist`` makes: such numbers, in lists where there are dimensions."""
    if not listed:
        return Scalar("float" if (array.dtype or "float").startswith("float") else "int")
    kind = "float" if array.dtype in FLOATS else "int" if array.dtype in INTEGERS else array.dtype
    if kind not in NUMBERS or array.rank is None or array.rank < 0:
        return UNKNOWN
    made: Value = Scalar(kind)
    for _ in range(array.rank):
        made = Sequence(made)
    return made


def promoted(a: Array, b: Array) -> str | None:
    """The dtype of a pointwise result; a scalar of NumPy counts in NumPy 2 alone."""
    if a.dtype is None or b.dtype is None:
        return None
    if a.dtype == b.dtype:
        return a.dtype
    if WIDE in (a.dtype, b.dtype):
        return _beside_wide(*((a, b) if a.dtype == WIDE else (b, a)))
    if a.rank in (0, None) or b.rank in (0, None):
        scalars = a.rank == b.rank == 0
        return _promoted(a.dtype, b.dtype) if scalars else _of_scalar_and_array(a, b)
    return _promoted(a.dtype, b.dtype)


def _beside_wide(wide: Array, other: Array) -> str | None:
    """What comes out of wide integers or float64 and another dtype: a scalar may leave narrow floats as they are."""
    if other.dtype in FLOATS:
        is_array = wide.rank not in (0, None)
        return "float64" if other.dtype == "float64" or is_array else None
    return WIDE if other.dtype in (*INTEGERS, "bool") else None


def _of_scalar_and_array(a: Array, b: Array) -> str | None:
    """Where both versions of NumPy agree: when the dtype of what certainly is an array wins by itself.

    Wide integers and any float are float64, whichever of them is the scalar.
    """
    if a.dtype is None or b.dtype is None:
        return None
    both = _promoted(a.dtype, b.dtype)
    array = next((each for each in (a, b) if each.rank not in (0, None)), None)
    if array is not None and both in (array.dtype, "float64" if array.dtype in _WIDE_INTEGERS else None):
        return both
    unclear = None in (a.rank, b.rank)
    return both if unclear and both == "float64" and {a.dtype, b.dtype} <= {both, *INTEGERS, "bool"} else None


def _promoted(a: str, b: str) -> str | None:
    floats = [d for d in (a, b) if d in FLOATS]
    others = [d for d in (a, b) if d not in FLOATS]
    if len(floats) == 1 and others[0] in _WIDE_INTEGERS:
        return "float64"
    if "complex64" in others and not set(_WIDE_INTEGERS).isdisjoint(others):
        return "complex128"
    return promote((a, 1), (b, 1))


def with_number(array: Array, kind: str | None) -> str | None:
    """The dtype of an array and a Python number, which widens nothing within its category."""
    dtype = array.dtype
    if dtype is None or kind not in (MIXED, *NUMBERS):
        return None
    if dtype in FLOATS or dtype.startswith("complex") or kind == "bool":
        return dtype
    if kind != "int":
        return "float64" if kind == "float" else None
    if dtype in STORED_INTEGERS:
        return None  # NumPy 1 widens them where the number asks for it
    return "int64" if dtype == "bool" else dtype


def with_complex(array: Array) -> str | None:
    """The dtype of an array and a complex number of Python; of narrow integers NumPy 1 and 2 make two things."""
    if array.rank in (0, None):
        return None  # a scalar may be a number of Python by itself
    if array.dtype in (WIDE, "bool", "float64", "complex128", *_WIDE_INTEGERS):
        return "complex128"
    return "complex64" if array.dtype in ("float16", "float32", "complex64") else None


def _is_complex(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, complex)


def settled(dtype: str | None) -> str | None:
    """The dtype of a tensor that is made of an array; None where the array may have one of two."""
    return None if dtype == WIDE else dtype


def as_number(value: Value) -> Value:
    """A scalar of NumPy is to a tensor what a Python number is; anything else stays what it is."""
    if not isinstance(value, Array) or value.rank != 0 or value.dtype in (None, WIDE):
        return value
    return next((Scalar(kind) for kind, dtype in NUMBERS.items() if dtype[:3] == value.dtype[:3]), value)


def floating(dtype: str | None) -> str | None:
    """The dtype of what is computed in floating point."""
    if dtype is None or dtype in FLOATS or dtype.startswith("complex"):
        return dtype
    return "float64"


def of_function(dtype: str | None) -> str | None:
    """The dtype of what functions like ``exp`` make of an array: of narrow integers they make narrow floats."""
    return _OF_NARROW.get(dtype or "") or floating(dtype)


def of_angle(dtype: str | None) -> str | None:
    """The dtype of angles: truths are set beside the integer 0, and so are wide."""
    return real("float64" if dtype == "bool" else of_function(dtype))


def real(dtype: str | None) -> str | None:
    """The dtype of the parts of numbers, or of their size."""
    return REAL_OF.get(dtype or "", dtype)


def leaves_kind_open(left: Value, right: Value) -> bool:
    """Whether a scalar of NumPy meets what nobody knows: beside a tensor, wherever that is, the outcome is a tensor."""
    scalars = any(isinstance(value, Array) and value.rank == 0 for value in (left, right))
    return scalars and any(isinstance(value, Unknown) for value in (left, right))


def arithmetic(op: ast.operator, left: Value, right: Value) -> Array:
    """``left op right`` with an array on at least one side."""
    arrays = [value for value in (left, right) if isinstance(value, Array)]
    others = [value for value in (left, right) if not isinstance(value, Array)]
    numbers = [scalar_type(value) is not None or _is_complex(value) for value in others]
    ranks = [value.rank for value in arrays] + [0 if is_number else None for is_number in numbers]
    rank = None if isinstance(op, ast.MatMult) else rank_of_broadcast(ranks)
    trail: Trail = arrays[0].trail
    if len(arrays) == 2:
        dtype = promoted(arrays[0], arrays[1])
    elif _is_complex(others[0]):
        dtype = with_complex(arrays[0])
    else:
        # Whatever integers a number is divided with, and by which version of NumPy, they are floats before it matters.
        given = replace(arrays[0], dtype=floating(arrays[0].dtype)) if isinstance(op, ast.Div) else arrays[0]
        dtype = with_number(given, exact_type(others[0]))
    return Array(floating(dtype) if isinstance(op, ast.Div) else dtype, rank, trail)
