"""Held parts: what a tuple holds is cast where it is made, since the tuple has no method of a tensor."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.findings import FileEdit, Operand
from devfix.placement.devices.device_expression import place_at
from devfix.placement.dtypes import dtype_keyword
from devfix.placement.moves import suffixes

#: The kinds of places where a tensor comes to be that is nobody else's.
_MADE = ("factory", "random-factory", "array", "numpy")


def cast(facts: Facts, operand: Operand, wanted: str, suffix: str) -> tuple[FileEdit, ...]:
    """``(torch.zeros(1, 8, dtype=torch.float32), cell)``, or the cast of what is made without a word on its dtype; nothing for a tensor itself."""
    entries = {trail[0] for trail in operand.roots if trail} if operand.held else set()
    made = entries.pop() if len(entries) == 1 else None
    place = place_at(facts, made.path, made.span) if made is not None and made.kind in _MADE else None
    if place is None or not isinstance(place.node, ast.Call):
        return ()
    if any(keyword.arg == "dtype" for keyword in place.node.keywords):
        return dtype_keyword.told(place, wanted)
    return suffixes.added(facts, place.outline, place.node, suffix)
