"""Raised: one error of a paste, with the frames that led to it."""

from __future__ import annotations

from dataclasses import dataclass

from devfix.findings import Span

#: How an error follows on the one before it: "" (it does not), raised while that one was handled, raised
#: from it, or the original that it wraps (from a worker, a replica, a process).
RELATIONS = ("", "context", "cause", "inside")


@dataclass(frozen=True, slots=True)
class Frame:
    """A place that the traceback names. ``line`` is 0 where it does not say.

    ``code`` is what stands there as far as the paste shows it, without its indentation; ``mark`` is
    the part of it that is underlined (lines of the code from 1, columns from 0).
    """

    path: str
    line: int
    function: str = ""
    code: str = ""
    mark: Span | None = None


@dataclass(frozen=True, slots=True)
class Raised:
    """An error: its class, its message, its frames (outermost first), and its line in the paste.

    ``forward`` are the frames that made what a backward pass failed on, as anomaly detection shows them.
    """

    type: str
    message: str
    frames: tuple[Frame, ...]
    number: int
    relation: str = ""
    stream: str = ""
    forward: tuple[Frame, ...] = ()

    @property
    def headline(self) -> str:
        """The class and the first line of the message that says anything."""
        lines = (line.strip() for line in self.message.splitlines())
        first = next((line for line in lines if any(map(str.isalnum, line))), "")
        return f"{self.type}: {first}" if self.type and first else self.type or first
