"""Numbers compared: whether two runs of a program came to the same end."""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Sequence

from devfix.observation.record import RunRecord

_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:\d+\.\d*(?:[eE][-+]?\d+)?|\.\d+|\d+(?:[eE][-+]?\d+)?|nan|inf)(?![\w.])"
)
#: How far numbers may drift where a cast changed the precision they are computed in.
_CLOSE = 1e-3


class Likeness(enum.IntEnum):
    """How alike the numbers of two runs are."""

    DIFFERENT = 0
    CLOSE = 1
    SAME = 2


def likeness(one: RunRecord, first: str, other: RunRecord, second: str) -> Likeness:
    """Compares what two runs trained and printed (``first`` and ``second`` are their outputs)."""
    return min(_parameters(one, other), _lists(_numbers(first), _numbers(second)))


def _parameters(one: RunRecord, other: RunRecord) -> Likeness:
    a, b = one.parameters, other.parameters
    if a is None or b is None or a.sha256 == b.sha256:
        return Likeness.SAME if (a is None) == (b is None) else Likeness.DIFFERENT
    if a.count != b.count or len(a.values) != len(b.values):
        return Likeness.DIFFERENT
    found = [_lists(x, y) for x, y in zip(a.values, b.values, strict=True)]
    # The samples may agree where the rest does not.
    return min([*found, Likeness.CLOSE])


def _numbers(text: str) -> list[float]:
    return [float(word) for word in _NUMBER.findall(text)]


def _lists(one: Sequence[float], other: Sequence[float]) -> Likeness:
    if len(one) != len(other):
        return Likeness.DIFFERENT
    return min((_pair(x, y) for x, y in zip(one, other, strict=True)), default=Likeness.SAME)


def _pair(x: float, y: float) -> Likeness:
    if x == y or (math.isnan(x) and math.isnan(y)):
        return Likeness.SAME
    return Likeness.CLOSE if math.isclose(x, y, rel_tol=_CLOSE, abs_tol=_CLOSE) else Likeness.DIFFERENT
