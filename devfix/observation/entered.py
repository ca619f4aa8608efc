"""Entered: in which dtypes a run saw one call make tensors, as of the columns of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from devfix.findings import Span
from devfix.observation.pointing import Pointer
from devfix.observation.record import ObservedMismatch

#: The dtypes of what each call made, by the file and the place of the call.
Entered = Mapping[tuple[str, Span], frozenset[str]]


def dtypes_made(observed: Sequence[ObservedMismatch], pointer: Pointer) -> Entered:
    """The dtypes of all operands of mismatches that one call made alone, by that call."""
    found: dict[tuple[str, Span], frozenset[str]] = {}
    for operand in (each for mismatch in observed for each in mismatch.operands):
        makers = operand.roots or ((operand.made,) if operand.made is not None else ())
        spot = pointer.made(makers[0]) if len(makers) == 1 else None
        if spot is not None:
            place = spot.path, spot.span
            found[place] = found.get(place, frozenset()) | {operand.dtype}
    return found
