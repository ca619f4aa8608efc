"""Versions: whether this devfix is one that a project asks for."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

_SPECIFIER = re.compile(r"(==|!=|>=|<=|~=|>|<|)\s*(\d+(?:\.\d+)*)(\.\*)?")
_COMPARISONS: dict[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]] = {
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
    "": operator.eq,
}


def satisfies(version: str, wanted: str) -> bool:
    """Whether ``version`` is one of ``wanted``, such as ``>=0.2,<1``; raises ValueError for what is no such list."""
    return all(_satisfies(_release(version), part.strip()) for part in wanted.split(","))


def _satisfies(version: tuple[int, ...], wanted: str) -> bool:
    found = _SPECIFIER.fullmatch(wanted)
    if found is None or (found[3] and found[1] not in ("", "==", "!=")):
        raise ValueError(wanted)
    release = tuple(map(int, found[2].split(".")))
    if found[1] == "~=":
        return _padded(version, release) >= release and version[: len(release) - 1] == release[:-1]
    if found[3]:
        return _COMPARISONS[found[1]](_padded(version, release)[: len(release)], release)
    return _COMPARISONS[found[1]](_padded(version, release), _padded(release, version))


def _release(version: str) -> tuple[int, ...]:
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found is not None else ()


def _padded(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return one + (0,) * (len(other) - len(one))
