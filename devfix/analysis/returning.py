"""Returning: what a function gives back, and the state in which it does, over all of its ``return``s."""

from __future__ import annotations

from devfix.analysis.frames import Frame
from devfix.analysis.join import join_values
from devfix.analysis.state import State, join_states, keep_main_path
from devfix.analysis.values import Value


def joined(frame: Frame) -> tuple[Value, State]:
    """What holds once the function has returned, where it returns at all.

    What an exception handler returns is possible, but the program under analysis is the one that
    meets no exception: the handler's state counts only where nothing else returns.
    """
    split = not frame.options
    value, state = _join(frame.returns or frame.rescues, split=split)
    for rescued, other in frame.rescues if frame.returns else ():
        value = join_values(value, rescued)
        state = keep_main_path(state, other)
    return value, state


def _join(returns: list[tuple[Value, State]], *, split: bool) -> tuple[Value, State]:
    value, state = returns[0]
    for other_value, other_state in returns[1:]:
        state = join_states(state, other_state, split=split)
        value = join_values(value, other_value, split=split)
    return value, state
