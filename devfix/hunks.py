"""Hunks: where two texts differ, line by line; exact in small texts, by lines that are there once in others."""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

#: Lines ``[first, last)`` of the old text and ``[first, last)`` of the new one that stands in their place.
Hunk = tuple[int, int, int, int]
#: With more pairs of equal lines two pieces are compared by parts: for each hunk the exact way looks at them all.
_MANY_PAIRS = 10_000
#: Where the lengths of two pieces that nothing parts multiply to more, they are one hunk.
_LARGE = 4_000_000


def hunks(old: Sequence[str], new: Sequence[str], a: int = 0, b: int = 0) -> Iterator[Hunk]:
    """Where two texts differ, in order; ``a`` and ``b`` are the numbers of their first lines."""
    same = _same_at_the_start(old, new)
    old, new, a, b = old[same:], new[same:], a + same, b + same
    same = _same_at_the_start(old[::-1], new[::-1])
    old, new = old[: len(old) - same], new[: len(new) - same]
    in_old, in_new = Counter(old), Counter(new)
    pairs = sum(count * in_new[line] for line, count in in_old.items())
    anchors = _anchors(old, new, in_old, in_new) if pairs > _MANY_PAIRS else []
    if not anchors:
        yield from _between(old, new, a, b)
        return
    before = (-1, -1)
    for here in (*anchors, (len(old), len(new))):
        i, j = before[0] + 1, before[1] + 1
        yield from hunks(old[i : here[0]], new[j : here[1]], a + i, b + j)
        before = here


def unchanged(found: Iterable[Hunk], old: Sequence[str], new: Sequence[str]) -> Iterator[Hunk]:
    """The stretches of lines between the hunks that were found: they are the same in both texts."""
    at, new_at = 0, 0
    for first, last, new_first, new_last in (*found, (len(old), len(old), len(new), len(new))):
        if at < first:
            yield at, first, new_at, new_first
        at, new_at = last, new_last


def _between(old: Sequence[str], new: Sequence[str], a: int, b: int) -> Iterator[Hunk]:
    """Where two pieces differ that are not parted further."""
    if len(old) * len(new) > _LARGE:
        yield a, a + len(old), b, b + len(new)
        return
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for kind, first, last, new_first, new_last in matcher.get_opcodes():
        if kind != "equal":
            yield a + first, a + last, b + new_first, b + new_last


def _same_at_the_start(old: Sequence[str], new: Sequence[str]) -> int:
    pairs = enumerate(zip(old, new, strict=False))
    return next((number for number, (x, y) in pairs if x != y), min(len(old), len(new)))


def _anchors(
    old: Sequence[str], new: Sequence[str], in_old: Counter[str], in_new: Counter[str]
) -> list[tuple[int, int]]:
    """Lines that are there once in both, as many as come in the same order."""
    once = {line for line, count in in_old.items() if count == in_new[line] == 1}
    places = {line: number for number, line in enumerate(new) if line in once}
    return _ascending([(number, places[line]) for number, line in enumerate(old) if line in once])


def _ascending(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs in which the second numbers grow as the first ones do."""
    tops: list[int] = []
    chains: list[tuple[tuple[int, int], object]] = []
    for pair in pairs:
        at = bisect_left(tops, pair[1])
        chain = (pair, chains[at - 1] if at else None)
        tops[at : at + 1], chains[at : at + 1] = [pair[1]], [chain]
    found: list[tuple[int, int]] = []
    link: object = chains[-1] if chains else None
    while isinstance(link, tuple):
        found.append(link[0])
        link = link[1]
    return found[::-1]
