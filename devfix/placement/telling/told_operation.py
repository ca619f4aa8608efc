"""Told operations: what moves its inputs itself is told where to."""

from __future__ import annotations

from collections.abc import Sequence

from devfix.analysis.record.facts import Facts
from devfix.findings import FileEdit, Mismatch, Operand, SetKeyword
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import place_at


def told(
    facts: Facts, mismatch: Mismatch, operand: Operand, peers: Sequence[Operand]
) -> tuple[FileEdit, ...]:
    """An operation that has a keyword for it is told the device, unless the operand is what it works with."""
    keyword = mismatch.get("told")
    place = place_at(facts, mismatch.path, mismatch.sink) if keyword is not None else None
    if place is None or keyword is None or operand.role == "weight":
        return ()
    found = device_expression.find(facts, place, list(peers))
    if found is None:
        return ()
    return (*found.edits, FileEdit(place.path, SetKeyword(mismatch.sink, keyword, found.code)))
