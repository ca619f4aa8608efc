"""Glimpses: what the names around a line stood for when a tensor was first made there.

The function that made a tensor has often returned when the tensor turns out to be in the wrong place, and
it is there that a device has to be named.
"""

from __future__ import annotations

from types import FrameType
from typing import Any, Optional

from .places import Spot, place, release_locals
from .surroundings import surroundings

#: Programs with more lines than this that make tensors are not looked at any further.
_MOST = 2000


class Glimpses:
    """Looks at the names around each line once."""

    def __init__(self) -> None:
        self._seen: dict[tuple[int, int], tuple[Spot, dict[str, str]]] = {}

    def take(self, frame: FrameType) -> None:
        """Look at the names around a line, unless that was done before."""
        key = (id(frame.f_code), frame.f_lasti)
        if key not in self._seen and len(self._seen) < _MOST:
            # The code object is kept alive by the spot, so that nothing else gets its identity.
            self._seen[key] = (Spot(frame.f_code, frame.f_lasti), _looked_at(frame))
            release_locals()

    def at(self, spot: Optional[Spot]) -> Optional[dict[str, Any]]:
        """What was seen at a line."""
        known = self._seen.get((id(spot.code), spot.instruction)) if spot is not None else None
        return None if known is None else {"place": place(known[0]), "names": known[1]}


def _looked_at(frame: FrameType) -> dict[str, str]:
    try:
        return surroundings(frame)
    except Exception:  # noqa: BLE001 - objects of the program may do anything when they are looked at
        return {}
