"""Line map: where a line of a changed text was before the change."""

from __future__ import annotations

import difflib
from collections.abc import Sequence


def lines_before(before: Sequence[str], after: Sequence[str]) -> list[int]:
    """For each line of the text after a change, the number (from 1) of the line that it was, or grew out of."""
    found = [0] * len(after)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for _, first, end, first_after, end_after in matcher.get_opcodes():
        for number in range(first_after, end_after):
            offset = number - first_after
            # More lines than there were: the rest belongs to the last of them.
            found[number] = min(first + offset, max(first, end - 1)) + 1
    return found
