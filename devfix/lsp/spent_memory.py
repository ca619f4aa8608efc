"""Spent memory: what has been let go of in circles is looked for where enough came to be, since that takes its time.

Seconds, where a program of many thousand lines is kept: more than all that somebody waits for.
"""

from __future__ import annotations

import gc

#: So many new objects are worth a look, and so many while somebody waits; more where more was there at the last one.
_FEW, _MANY = 20_000, 2_000_000


class SpentMemory:
    """Frees circles of objects when it is asked to, and only then."""

    def __init__(self) -> None:
        gc.collect()
        gc.freeze()
        gc.disable()
        self._kept = 0

    def free(self, *, waited_for: bool) -> bool:
        """Look for circles if it is worth it, which takes more where somebody waits; whether that was done."""
        new = gc.get_count()[0]
        if new < (max(_MANY, self._kept) if waited_for else max(_FEW, self._kept // 4)):
            return False
        gc.collect()
        # To count what came since is not enough: what else went meanwhile is seen nowhere.
        self._kept = len(gc.get_objects())
        return True
