"""Differences: from two texts to the smallest replacements that turn one into the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from devfix.hunks import hunks, unchanged


def differences(before: str, after: str) -> Iterator[tuple[int, int, str]]:
    """Offsets in ``before`` from and up to which text goes, and what takes its place; from top to bottom."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    old_starts, new_starts = _starts(old), _starts(new)
    for i1, i2, j1, j2 in hunks(old, new):
        start, end, text = old_starts[i1], old_starts[i2], after[new_starts[j1] : new_starts[j2]]
        yield _trimmed(before, start, end, text)


def changed_lines(before: str, after: str) -> int:
    """How many lines differ; one that took the place of another counts once."""
    return sum(max(i2 - i1, j2 - j1) for i1, i2, j1, j2 in hunks(before.splitlines(), after.splitlines()))


def lines_before(before: Sequence[str], after: Sequence[str]) -> list[int]:
    """For each line of the text after a change, the number (from 1) of the line that it was, or grew out of."""
    found = [0] * len(after)
    changed = list(hunks(before, after))
    for first, end, first_after, end_after in (*changed, *unchanged(changed, before, after)):
        for number in range(first_after, end_after):
            offset = number - first_after
            # More lines than there were: the rest belongs to the last of them.
            found[number] = min(first + offset, max(first, end - 1)) + 1
    return found


def _starts(lines: Sequence[str]) -> list[int]:
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    return starts


def _trimmed(before: str, start: int, end: int, text: str) -> tuple[int, int, str]:
    """A difference without what both texts begin and end with; none cuts a carriage return from its line feed."""
    shared = min(end - start, len(text))
    ahead = 0
    while ahead < shared and before[start + ahead] == text[ahead]:
        ahead += 1
    behind = 0
    while behind < shared - ahead and before[end - 1 - behind] == text[len(text) - 1 - behind]:
        behind += 1
    ahead -= _cuts(before, start + ahead) or _cuts(text, ahead)
    behind -= _cuts(before, end - behind) or _cuts(text, len(text) - behind)
    return start + max(ahead, 0), end - max(behind, 0), text[max(ahead, 0) : len(text) - max(behind, 0)]


def _cuts(text: str, offset: int) -> bool:
    return 0 < offset < len(text) and text[offset - 1 : offset + 1] == "\r\n"
