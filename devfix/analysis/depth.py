"""Depth: calls of Python nest as deeply here as large programs do, and cheaply."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

#: Modules that import one another, hundreds deep, and calls in them. Before Python 3.11 each
#: call of Python took space on the C stack, which ends the process when it is used up.
RECURSION_LIMIT = 10_000 if sys.version_info >= (3, 11) else 1_000
#: Words of 8 bytes that one frame asks for. What Python maps for it is the next power of two, here 4 MiB,
#: of which the other half is left to the frames above; of either only what is written to takes memory.
_FRAME = 2**18 + 1


def in_depth(run: Callable[[], Result]) -> Result:
    """What ``run`` returns, which may nest as deeply as large programs do.

    Since 3.11 Python keeps frames in chunks of 16 KiB. A call that finds its chunk full maps another one, which is unmapped when
    that call returns, so what goes to and fro over the end of a chunk asks the system for memory each time
    (``_PyThreadState_PushFrame`` in Python/pystate.c). A frame that is larger than a chunk gets one to its measure, and here that has room for all above.
    """
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(max(usual, RECURSION_LIMIT))
    try:
        return run()
    finally:
        sys.setrecursionlimit(usual)


if sys.version_info >= (3, 11):
    in_depth.__code__ = in_depth.__code__.replace(co_stacksize=_FRAME)
