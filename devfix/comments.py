"""Comments: taking them out of a text or rewording them, without touching anything else."""

from __future__ import annotations

import io
from collections.abc import Iterable

from devfix.findings import ReplaceComment


def replace_comments(text: str, edits: Iterable[ReplaceComment]) -> str:
    """``text`` with each comment replaced; a line that only held a removed comment goes too."""
    lines = list(io.StringIO(text, newline=""))
    for edit in sorted(set(edits), key=lambda edit: edit.span, reverse=True):
        index = edit.span.line - 1
        lines[index] = _replace(lines[index], edit)
    return "".join(lines)


def _replace(line: str, edit: ReplaceComment) -> str:
    before, after = line[: edit.span.column], line[edit.span.end_column :]
    if edit.text:
        return before + edit.text + after
    rest = before.rstrip(" \t") + after
    if rest.strip():
        return rest if before.strip() else before + after.lstrip(" \t")
    # Nothing is left of the line: it held the comment alone.
    return ""
