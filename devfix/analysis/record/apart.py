"""Apart: what is found out beside the run that is followed, and leaves nothing behind in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


@contextmanager
def apart(interp: Interpreter) -> Iterator[None]:
    """A block that changes no state and records nothing."""
    before, interp.state = interp.state, interp.state.fork()
    try:
        with interp.recorder.mute():
            yield
    finally:
        interp.state = before
