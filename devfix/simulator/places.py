"""Places: the line of the user's program that is being executed, whatever library it is in the middle of."""

from __future__ import annotations

import functools
import inspect
import linecache
import os
import sys
import sysconfig
import threading
from opcode import opmap
from types import CodeType, FrameType
from typing import Any, Callable, NamedTuple, Optional

import torch

from .notebook import cell_of

_HERE = os.path.dirname(os.path.abspath(__file__))
_TORCH = os.path.dirname(os.path.abspath(torch.__file__))


def _library_folders() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    named = {paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib") if key in paths}
    return tuple(os.path.join(folder, "") for folder in (_HERE, _TORCH, *sorted(named)))


_LIBRARIES = _library_folders()
#: The folders that all files of the user lie in; none where that is not told.
_OWN: list[str] = []


def keep_to(folder: str) -> None:
    """Take what lies elsewhere than below a folder for a library's from now on."""
    _OWN.append(os.path.join(os.path.realpath(folder), ""))
    is_user_file.cache_clear()


@functools.cache
def is_user_file(filename: str) -> bool:
    """Whether a code object's file is the user's: not torch, the standard library or an installed package."""
    if "site-packages" in filename or "dist-packages" in filename:
        return False
    if filename.startswith("<"):
        # Made at run time: by a library (dataclasses, namedtuple, torch.fx), unless the program itself was.
        return filename.startswith(("<ipython", "<stdin")) or (filename == "<string>" and _runs_words())
    if os.path.abspath(filename).startswith(_LIBRARIES):
        return False
    return not _OWN or os.path.realpath(filename).startswith(tuple(_OWN))


def _runs_words() -> bool:
    """Whether the program is one given on the command line (``python -c``)."""
    return not hasattr(sys.modules.get("__main__"), "__file__")


class Spot(NamedTuple):
    """An instruction of a code object: what a place is computed from, when it is asked for."""

    code: CodeType
    instruction: int


def user_frame(depth: int = 1) -> Optional[FrameType]:
    """The innermost frame of the user's own code, looked for from the caller's ``depth`` outwards."""
    frame: Optional[FrameType] = sys._getframe(depth)
    while frame is not None and not is_user_file(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def assigns_item() -> bool:
    """Whether what called the simulator is ``x[index] = value``, and no function."""
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_code[frame.f_lasti] == opmap["STORE_SUBSCR"]


#: Hear of each frame whose line is asked for.
watchers: list[Callable[[FrameType], None]] = []


def user_spot(depth: int = 1) -> Optional[Spot]:
    """Where the innermost frame of the user's own code stands, or stood when it started this thread of a library."""
    frame = user_frame(depth + 1)
    if frame is not None:
        for watch in watchers:
            watch(frame)
        return Spot(frame.f_code, frame.f_lasti)
    spots = _start().spots
    return Spot(*list(spots.items())[-1]) if spots else None


def user_stack(depth: int = 1, limit: int = 20) -> list[FrameType]:
    """The innermost ``limit`` frames of the user's own code, outermost first.

    In a thread of a library, such as the one that pins a loader's batches, those that started it and still run.
    """
    found = _user_frames(sys._getframe(depth), limit)
    if found or not _start().spots:
        return found
    started = _user_frames(sys._current_frames().get(_start().thread), limit)
    return [frame for frame in started if frame.f_code in _start().spots]


def _user_frames(frame: Optional[FrameType], limit: int) -> list[FrameType]:
    found: list[FrameType] = []
    while frame is not None and len(found) < limit:
        if is_user_file(frame.f_code.co_filename):
            found.append(frame)
        frame = frame.f_back
    return found[::-1]


def release_locals() -> None:
    """Let go of the values of local variables that were read off the frames of this thread.

    Until Python 3.13 a frame keeps the dictionary that ``f_locals`` made, and with it every tensor in it; one that the
    program has asked for itself (``locals()``) stays as it is.
    """
    frame: Optional[FrameType] = sys._getframe(1) if sys.version_info < (3, 13) else None
    while frame is not None:
        if frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            held = frame.f_locals
            # Known to the frame, to this function, and to the call.
            if sys.getrefcount(held) <= _KNOWN_TO_NOBODY_ELSE:
                held.clear()
        frame = frame.f_back


_KNOWN_TO_NOBODY_ELSE = 3


def spot_of(frame: FrameType) -> Spot:
    """The instruction that a frame is executing, or executed when it started this thread."""
    return Spot(frame.f_code, _start().spots.get(frame.f_code, frame.f_lasti))


class Start(NamedTuple):
    """The start of a thread: by which other, and which instructions the user's code was executing there."""

    thread: int
    spots: dict[CodeType, int]


_of_thread = threading.local()


def start_here() -> Start:
    """The start of a thread that is started now."""
    return Start(threading.get_ident(), {spot.code: spot.instruction for spot in map(spot_of, user_stack(2))})


def started(start: Start) -> None:
    """Remember how this thread was started."""
    _of_thread.start = start


def _start() -> Start:
    return getattr(_of_thread, "start", NOWHERE)


#: The start of a thread of which nothing is known.
NOWHERE = Start(0, {})


def place(spot: Optional[Spot]) -> Optional[dict[str, Any]]:
    """A spot as plain data: 1-based lines, 0-based columns in code points (null where Python does not tell).

    In a notebook ``cell`` says which one, and lines are those of the cell.
    """
    return None if spot is None else dict(_place(spot))


@functools.lru_cache(maxsize=4096)
def _place(spot: Spot) -> tuple[tuple[str, Any], ...]:
    name = spot.code.co_filename
    line, end_line, column, end_column = _position(spot)
    text = linecache.getline(name, line) if line else ""
    column, end_column = _code_points(name, line, column), _code_points(name, end_line, end_column)
    file, cell = cell_of(name)
    found = {
        "file": file if file.startswith("<") else os.path.abspath(file),
        "line": line,
        "end_line": end_line,
        "column": column,
        "end_column": end_column,
        "function": getattr(spot.code, "co_qualname", spot.code.co_name),
        "text": text.strip(),
    }
    return tuple(found.items()) if cell is None else (*found.items(), ("cell", cell))


def _position(spot: Spot) -> tuple[int, int, Optional[int], Optional[int]]:
    positions = getattr(spot.code, "co_positions", None)
    if positions is not None:
        # Two bytes make one instruction; since Python 3.11 each knows its columns (PEP 657).
        for number, (line, end_line, column, end_column) in enumerate(positions()):
            if number == spot.instruction // 2 and line is not None:
                return line, end_line or line, column, end_column
    from .old_positions import position  # noqa: PLC0415 - only for interpreters without positions

    line = _line(spot)
    return position(spot.code, spot.instruction) or (line, line, None, None)


def _line(spot: Spot) -> int:
    import dis  # noqa: PLC0415 - only for interpreters without positions

    found = spot.code.co_firstlineno
    for start, line in dis.findlinestarts(spot.code):
        if start > spot.instruction:
            break
        found = line or found
    return found


def _code_points(file: str, line: int, column: Optional[int]) -> Optional[int]:
    """Positions count UTF-8 bytes; everything else in devfix counts code points."""
    if column is None:
        return None
    text = linecache.getline(file, line)
    return len(text.encode()[:column].decode(errors="replace")) if text else column
