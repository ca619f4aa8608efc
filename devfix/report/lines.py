"""Lines: those that a change takes and brings, with a few around them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

_AROUND = 2


def changed_lines(before: str, after: str, around: int = _AROUND) -> Iterator[str]:
    """The lines of a unified diff below its heading: each begins with a blank, a minus or a plus, headings of parts with @."""
    found = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=around)
    return (line for number, line in enumerate(found) if number > 1)
