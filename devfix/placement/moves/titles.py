"""Titles: what a fix is called that brings an operand to the device of what it meets."""

from __future__ import annotations

from devfix.analysis.record.facts import Facts
from devfix.findings import FileEdit, Operand, SetKeyword
from devfix.placement.blaming.wording import spoken


def title_of(facts: Facts, operand: Operand, edits: tuple[FileEdit, ...]) -> str:
    """The operand moves there; where all that changes is a call that it is computed from, that makes its result there."""
    only = edits[0] if len(edits) == 1 else None
    if only is not None and isinstance(only.edit, SetKeyword) and only.path in facts.program.sources:
        made = operand.trail[0] if operand.trail else None
        if made is None or (made.path, made.span) != (only.path, only.edit.span):
            call = facts.source(only.path).line_at(only.edit.span)
            return f"make `{call}` on the device of what it meets"
    return f"move `{spoken(operand)}` to the device of what it meets"
