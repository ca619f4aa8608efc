"""Lasting: what is imported stays to the end of the process, so that nobody need look for garbage in it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def lasting() -> Iterator[None]:
    """Look for no garbage in what a block imports, neither now nor later: torch takes a third longer with that."""
    usual = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if usual:
            gc.enable()
