"""Entries of dicts whose keys are not known: those of texts that are put together, by how these begin and end.

``state[f"moment_{axis}"] = value`` has an entry of its own, whose name is a pattern: two texts with a mark between.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable

from devfix.analysis.domain.values import UNKNOWN, Const, Scalar, TupleValue, Value

#: How the name of an entry begins of whose key nothing is known.
_SOME = "\0"
#: Between what the keys of an entry begin with, and what they end with.
_BETWEEN = "\1"
_BRACES = re.compile(r"[{}]")


def some_key(number: int) -> str:
    """A name for the entry of a key of which nothing is known."""
    return f"{_SOME}{number}"


def unnamed_key(entry: str) -> Value | None:
    """The key of an entry whose name is not the key itself."""
    if entry.startswith(_SOME):
        return UNKNOWN
    begin, between, end = entry.partition(_BETWEEN)
    return Scalar("str", ends=(begin, end)) if between else None


def pattern(key: Value) -> str | None:
    """The name of the entry for keys like this one; None where nothing is known of them."""
    if not isinstance(key, Scalar) or key.ends == ("", ""):
        return None
    return _BETWEEN.join(key.ends)


def name_of_tuple(key: TupleValue) -> str | None:
    """The name of the entry for a tuple of numbers and texts; None where one of them is not known, or has no literal."""
    parts = [part.value for part in key.items if isinstance(part, Const)]
    plain = len(parts) == len(key.items) and all(map(_is_literal, parts))
    return f"#{tuple(parts)!r}" if plain else None


def _is_literal(part: object) -> bool:
    return isinstance(part, (str, int)) or (isinstance(part, float) and math.isfinite(part))


def may_be_tuple(entry: str, key: TupleValue) -> bool:
    """Whether an entry may be the one that a tuple names of which some parts are known."""
    if not entry.startswith("#("):
        return entry.startswith(_SOME)
    try:
        told = ast.literal_eval(entry[1:])
    except (ValueError, SyntaxError):
        return False
    return (
        isinstance(told, tuple)
        and len(told) == len(key.items)
        and all(
            not isinstance(part, Const) or part.value == mine
            for part, mine in zip(key.items, told, strict=True)
        )
    )


def has_patterns(entries: Iterable[str]) -> bool:
    """Whether keys that are put together are among those of a dict."""
    return any(_BETWEEN in entry for entry in entries)


def has_unknown(entries: Iterable[str]) -> bool:
    """Whether keys of which nothing is known are among those of a dict."""
    return any(entry.startswith(_SOME) for entry in entries)


def is_met_by(entry: str, name: str) -> bool:
    """Whether ``entry`` is that of a pattern to which the known key ``name`` belongs."""
    begin, between, end = entry.partition(_BETWEEN)
    return bool(between) and _is_around(begin, end, name)


def may_be(entry: str, pattern: str) -> bool:
    """Whether an entry, of a known key or of a pattern, may be the one that a key of ``pattern`` names."""
    begin, _, end = pattern.partition(_BETWEEN)
    its_begin, between, its_end = entry.partition(_BETWEEN)
    if not between:
        return entry.startswith(_SOME) or _is_around(begin, end, entry)
    shorter, longer = sorted((begin, its_begin), key=len)
    short_end, long_end = sorted((end, its_end), key=len)
    return longer.startswith(shorter) and long_end.endswith(short_end)


def _is_around(begin: str, end: str, name: str) -> bool:
    return len(name) >= len(begin) + len(end) and name.startswith(begin) and name.endswith(end)


def ends_of_text(node: ast.expr | None) -> tuple[str, str]:
    """What a text that is put together certainly begins with, and ends with."""
    parts: list[ast.expr] = []
    if isinstance(node, ast.JoinedStr):
        parts = node.values
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        first = node.left
        while isinstance(first, ast.BinOp) and isinstance(first.op, ast.Add):
            first = first.left
        parts = [first, node.right]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
        return ends_of_percent(str(node.left.value))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return ends_of_format(str(node.func.value.value) if isinstance(node.func.value, ast.Constant) else "")
    ends = [part.value if isinstance(part, ast.Constant) else "" for part in (*parts[:1], *parts[-1:])]
    begin, end = (each if isinstance(each, str) else "" for each in ends or ("", ""))
    return begin, end


def ends_of_percent(form: str) -> tuple[str, str]:
    """The same of ``form % args``."""
    begin, found, rest = form.partition("%")
    if not found:
        return "", ""
    rest = rest.rpartition("%")[2].lstrip("-#0+ .*123456789")
    return begin, "" if rest[:1] in ("", "(") else rest[1:]


def ends_of_format(form: str) -> tuple[str, str]:
    """The same of ``form.format(*args)``. Doubled braces stand for one each."""
    begin, *rest = _BRACES.split(form)
    return (begin, rest[-1]) if rest else ("", "")
