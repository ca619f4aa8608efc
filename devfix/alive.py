"""Alive: whether a process is there."""

from __future__ import annotations

import os
import sys


def is_running(process: int) -> bool:
    """Whether there is a process of that number; where nobody can tell, there is."""
    if sys.platform == "win32":
        return True  # there is no way to ask that does no harm
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
