"""Giving back: what libraries hold goes with the process that holds it, without each of them giving it back piece by piece.

At the end of a process torch takes every kernel out of its tables again, after all that Python does and a program
can see, which takes as long as a small program.
"""

from __future__ import annotations

import ctypes
import os
from typing import Optional, Tuple

_Handler = Tuple[ctypes.c_void_p, Optional[ctypes.c_void_p]]

#: Of the standard library of C++: the function that flushes a stream, and those streams that may hold something back.
_FLUSHING = (
    ("_ZNSo5flushEv", ("_ZSt4cout", "_ZSt4clog")),
    ("_ZNSt13basic_ostreamIwSt11char_traitsIwEE5flushEv", ("_ZSt5wcout", "_ZSt5wclog")),
)


def leave_to_system() -> bool:
    """Let the system take back at once what the libraries hold that are loaded by now; whether it will.

    What is registered later, as objects of the program's own libraries are, ends as it does anyway: last come, first gone.
    Functions that a library in C names as its destructors (``.fini_array``) are not called: the loader does that after all else.
    """
    # Who puts something below all libraries wants to see the process to its end.
    if os.environ.get("LD_PRELOAD") or os.path.exists("/etc/ld.so.preload"):
        return False
    try:
        library = ctypes.CDLL(None)
        handlers = _handlers(library)
        # The first is an extension of the C library of GNU, which hands the status on.
        on_exit, at_exit, leave = library.on_exit, library.__cxa_atexit, library._exit
    except (AttributeError, OSError, TypeError, ValueError):
        return False
    on_exit.argtypes, at_exit.argtypes = [ctypes.c_void_p] * 2, [ctypes.c_void_p] * 3
    if on_exit(ctypes.cast(leave, ctypes.c_void_p), None) != 0:
        return False
    for function, argument in handlers:
        at_exit(function, argument, None)
    return True


def _handlers(library: ctypes.CDLL) -> list[_Handler]:
    """What has to be called before the process is left, the last one first: functions with their argument."""
    flush_files = ctypes.cast(library.fflush, ctypes.c_void_p)
    handlers: list[_Handler] = [(flush_files, None)]
    streams = ctypes.CDLL("libstdc++.so.6")
    for flush, names in _FLUSHING:
        function = ctypes.cast(getattr(streams, flush), ctypes.c_void_p)
        for name in names:
            place = ctypes.addressof(ctypes.c_char.in_dll(streams, name))
            handlers.append((function, ctypes.c_void_p(place)))
    return handlers
