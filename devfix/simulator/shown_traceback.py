"""Shown traceback: what ended a program, printed as if it had run by itself on the accelerator."""

from __future__ import annotations

import functools
import os
import sys
from types import TracebackType
from typing import Any, Optional

_HERE = os.path.dirname(os.path.abspath(__file__))


def show(error: BaseException) -> None:
    """Print what Python prints for an exception that nobody catches."""
    _clean(error, set())
    sys.excepthook(type(error), error, error.__traceback__)


def clean_in_workers() -> None:
    """Let the tracebacks that loaders send home from their workers, as text, be clean as well."""
    from torch import _utils  # noqa: PLC0415 - what is above needs no torch

    wrapper: Any = _utils.ExceptionWrapper
    original = wrapper.__init__

    @functools.wraps(original)
    def initialise(self: Any, exc_info: Any = None, *args: Any, **kwargs: Any) -> None:
        kind, error, traceback = sys.exc_info() if exc_info is None else exc_info
        original(self, (kind, error, without_own_frames(traceback)), *args, **kwargs)

    wrapper.__init__ = initialise


def _clean(error: Optional[BaseException], seen: set[int]) -> None:
    """Take the simulator's own frames from the tracebacks of an error and of those that led to it."""
    if error is None or id(error) in seen:
        return
    seen.add(id(error))
    error.__traceback__ = without_own_frames(error.__traceback__)
    _clean(error.__cause__, seen)
    _clean(error.__context__, seen)
    for member in getattr(error, "exceptions", ()):
        if isinstance(member, BaseException):
            _clean(member, seen)


def without_own_frames(traceback: Optional[TracebackType]) -> Optional[TracebackType]:
    """A traceback without the frames of this package, and without torch's after the last of them.

    On the accelerator the error comes out of C++, where torch's functions call no other.
    """
    entries = []
    while traceback is not None:
        entries.append(traceback)
        traceback = traceback.tb_next
    own = [number for number, entry in enumerate(entries) if _file(entry).startswith(_HERE + os.sep)]
    if own and entries[own[-1] + 1 :] and all(_is_torch(entry) for entry in entries[own[-1] + 1 :]):
        entries = entries[: own[-1] + 1]
    rest: Optional[TracebackType] = None
    for entry in reversed([entry for entry in entries if not _file(entry).startswith(_HERE + os.sep)]):
        rest = TracebackType(rest, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return rest


def _file(entry: TracebackType) -> str:
    return entry.tb_frame.f_code.co_filename


def _is_torch(entry: TracebackType) -> bool:
    return str(entry.tb_frame.f_globals.get("__name__")).partition(".")[0] == "torch"
