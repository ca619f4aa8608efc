"""Scene: which frames are the user's, where their files are, and what the library was doing below them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from devfix.discovery import short_path
from devfix.file_report import Skipped
from devfix.findings import Span
from devfix.source import Source, read_source
from devfix.tracebacks.raised import Frame, Raised
from devfix.tracebacks.signatures import CALLS, ROLES

_LIBRARY = re.compile(
    r"(?:^|/)(?:site-packages|dist-packages|lib/python\d[\d.]*|lib64/python\d[\d.]*|[Pp]ython\d[\d.]*/[Ll]ib)/"
    r"|(?:^|/)torch/(?:_\w+|amp|autograd|cuda|distributed|distributions|fft|func|functional|fx|jit|linalg|mps|multiprocessing|nn|ops"
    r"|optim|overrides|random|serialization|sparse|storage|tensor|utils|xpu)(?:/|\.py$)"
    r"|^<(?:frozen|eval_with_key|__array_function__|decorator-gen|attrs generated|unknown)"
)


def is_library(path: str) -> bool:
    """Whether a frame's file belongs to Python or an installed package and not to the user."""
    return bool(_LIBRARY.search(path.replace("\\", "/")))


@dataclass(frozen=True, slots=True)
class Placed:
    """A user's frame and the file it means, if it is at hand.

    ``line`` is where the code stands in the file now. ``stale`` says how the file differs from the
    traceback: "" (not at all), "moved" (the code is on another line) or "gone".
    """

    frame: Frame
    source: Source | None = None
    line: int = 0
    stale: str = ""

    @property
    def marked(self) -> Span | None:
        """What is underlined, in the file."""
        mark = self.frame.mark
        if mark is None or self.source is None or not 0 < self.line <= len(self.source.lines):
            return None
        line = self.source.lines[self.line - 1]
        indent, down = len(line) - len(line.lstrip()), self.line - 1
        return Span(mark.line + down, mark.column + indent, mark.end_line + down, mark.end_column + indent)


@dataclass(frozen=True, slots=True)
class Tail:
    """What the library did below the innermost frame of the user.

    ``entry`` is how the user's code got there: ``module`` (a call of a Module), ``loop`` (iteration), the
    name of a function or method, or "" when the operator was called by the user's own line. ``call``
    is the innermost call whose parameters are known, ``file`` the last module file on the way.
    """

    entry: str = ""
    call: str = ""
    file: str = ""

    @property
    def through_module(self) -> bool:
        """Whether a Module's own parameters can be among the operands."""
        return self.entry == "module"


class Scene:
    """One error, with the user's frames looked up in their files."""

    def __init__(self, raised: Raised, files: Files, more: Sequence[Frame] = ()) -> None:
        frames = [*more, *raised.frames]
        if raised.forward and _is_backward(raised.frames):
            # What the backward pass failed on was made there.
            frames = [*frames, *raised.forward]
        self.raised = raised
        self.files = files
        self.frames = tuple(frames)

    @cached_property
    def placed(self) -> list[Placed]:
        """The user's frames, outermost first."""
        return [self.files.place(frame) for frame in self.frames if not is_library(frame.path)]

    @property
    def innermost(self) -> Placed | None:
        """The place where the user's code handed over to the library."""
        return self.placed[-1] if self.placed else None

    @cached_property
    def tail(self) -> Tail:
        """What happened below the innermost frame of the user."""
        below: list[Frame] = []
        for frame in reversed(self.frames):
            if not is_library(frame.path):
                break
            below.insert(0, frame)
        return _tail(below)


def _is_backward(frames: Sequence[Frame]) -> bool:
    return any(frame.function.rpartition(".")[2] in ("backward", "grad") for frame in frames)


def in_optimizer(frames: Sequence[Frame]) -> bool:
    """Whether an optimizer's step was under way."""
    return any("torch/optim/" in frame.path.replace("\\", "/") for frame in frames)


_WORD_CALLED = re.compile(r"(\w{1,60})\(")


def _tail(frames: Sequence[Frame]) -> Tail:
    if not frames:
        return Tail()
    call = next((name for frame in reversed(frames) for name in _known_calls(frame)), "")
    modules = [frame for frame in frames if "/nn/modules/" in frame.path.replace("\\", "/")]
    specific = [frame for frame in modules if not frame.path.endswith(("module.py", "container.py"))]
    file = PurePosixPath((specific or modules)[-1].path.replace("\\", "/")).stem if modules else ""
    return Tail(_entry(frames[0]), call, file)


def _entry(frame: Frame) -> str:
    name = frame.function.rpartition(".")[2]
    if (
        not name
        and frame.path.endswith("module.py")
        and ("_call_impl(" in frame.code or "forward_call(" in frame.code)
    ):
        return "module"  # pytest does not say which function it is
    if name in ("_call_impl", "_wrapped_call_impl") or (name == "__call__" and "module" in frame.path):
        return "module"
    return {"__next__": "loop", "__iter__": "loop", "__array__": "", "": "?"}.get(name, name)


def _known_calls(frame: Frame) -> Iterator[str]:
    """The calls of a library frame whose parameters are known, those with roles of their own first."""
    own = frame.function.rpartition(".")[2]
    if own in ROLES:
        yield own
    for name in reversed(_WORD_CALLED.findall(frame.code[:500])):
        if name in CALLS or name in ROLES:
            yield name
    if own in CALLS:
        yield own


class Files:
    """Finds the files that frames name: as they are, in the current folder, or in ``folder``.

    A traceback often comes from another machine. Then the end of the path is looked for, and the file
    counts only if the code of the frame stands in it.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._sources: dict[str, Source | None] = {}

    def place(self, frame: Frame) -> Placed:
        """The frame with its file, when that is at hand."""
        best = Placed(frame)
        for path, exact in self._candidates(frame.path):
            source = self._read(path)
            if source is None:
                continue
            placed = _compared(frame, source)
            if not placed.stale:
                return placed
            if best.source is None and (exact or placed.stale == "moved"):
                best = placed
        return best

    def _candidates(self, path: str) -> Iterator[tuple[str, bool]]:
        """Paths to try, and whether they are just what the frame says."""
        if not path.endswith((".py", ".pyw")):
            return
        if self.folder is None:
            yield os.path.expanduser(path), True
        parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..", "~")]
        root = str(self.folder) if self.folder is not None else "."
        for start in range(len(parts)):
            yield os.path.join(root, *parts[start:]), False

    def _read(self, path: str) -> Source | None:
        name = short_path(path)
        if name not in self._sources:
            found = read_source(name) if os.path.isfile(name) else Skipped(name, "is not there")
            self._sources[name] = None if isinstance(found, Skipped) else found
        return self._sources[name]


def _compared(frame: Frame, source: Source) -> Placed:
    """Where the frame's code is in a file now."""
    wanted = _squeezed(frame.code.partition("\n")[0])
    lines = source.lines
    if not 0 < frame.line <= len(lines) and not wanted:
        return Placed(frame, source, 0, "gone")
    if not wanted or (frame.line <= len(lines) and _squeezed(lines[frame.line - 1]) == wanted):
        return Placed(frame, source, frame.line)
    same = [number for number, line in enumerate(lines, start=1) if _squeezed(line) == wanted]
    if not same:
        return Placed(frame, source, 0, "gone")
    nearest = min(same, key=lambda number: (abs(number - frame.line), number))
    return Placed(frame, source, nearest, "moved")


def _squeezed(line: str) -> str:
    return " ".join(line.split())
