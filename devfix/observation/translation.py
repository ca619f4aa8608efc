"""Translation: an observed mismatch in terms of the program's sources, as the rules know mismatches."""

from __future__ import annotations

from collections.abc import Callable

from devfix.findings import Mismatch
from devfix.observation import constructed, drawn, loaded, operands, overflows, stepped
from devfix.observation.pointing import Pointer
from devfix.observation.record import ObservedMismatch
from devfix.observation.sighting import Sighting, sighted

#: How mismatches are told whose operands are not the tensors that met.
_SPECIAL: dict[str, Callable[[Sighting], list[Mismatch]]] = {
    "generator": drawn.translated,
    "no-leaf": constructed.of_leaves,
    "legacy-constructor": constructed.of_legacy,
    "optimizer-state": stepped.translated,
    "worker": loaded.translated,
    "pin": loaded.translated,
    "value-range": overflows.translated,
}


def translated(observed: ObservedMismatch, pointer: Pointer) -> list[Mismatch]:
    """The mismatch as the rules know it, several where several places share the fault; none outside the program."""
    sighting = sighted(observed, pointer)
    if sighting is None:
        return []
    return _SPECIAL.get(observed.kind, operands.translated)(sighting)
