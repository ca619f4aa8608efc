"""Handed back: tensors that a process returns, which it leaves on the CPU where it may not use the accelerator."""

from __future__ import annotations

from devfix.analysis.record.facts import Facts
from devfix.findings import Applicability, Fix, Mismatch
from devfix.placement.devices.device_expression import place_at
from devfix.placement.moves.emptied import without_idle
from devfix.placement.telling.device_argument import without_device


def left_on_host(facts: Facts, mismatch: Mismatch) -> list[Fix]:
    """The process does not move what it hands back; whoever takes it moves it where that is wanted."""
    sites = (root[0] for root in mismatch.operands[0].roots if mismatch.get("handed-back"))
    used = next((site for site in sites if site.kind == "used-in-process"), None)
    place = place_at(facts, used.path, used.span) if used is not None else None
    edits = without_device(place) if place is not None else ()
    if not edits:
        return []
    return [
        Fix("leave what the process hands back on the CPU", without_idle(facts, edits), Applicability.SAFE)
    ]
