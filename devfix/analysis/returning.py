"""Returning: what a function gives back, and the state in which it does, over all of its ``return``s."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.frames import Frame
from devfix.analysis.join import join_values
from devfix.analysis.state import State, join_states, keep_main_path
from devfix.analysis.torch_model import requirements
from devfix.analysis.torch_model.requirements import Part
from devfix.analysis.values import Tensor, TupleValue, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def agree(interp: Interpreter, frame: Frame) -> None:
    """What a function returns here and there is meant to be on one device."""
    parts = [
        (position, Part(tensor, "result", node))
        for node, value in frame.results
        for position, tensor in _tensors(value)
    ]
    placed = {position: part for position, part in parts if part.tensor.device.is_accelerator}
    for position, part in parts:
        stays = any(site.kind == "move" for site in part.tensor.trail[:1])
        if position in placed and part.tensor.device.kind == "cpu" and part.tensor.rank != 0 and not stays:
            assert part.node is not None
            requirements.record(interp, part.node, "return", "device", [part, placed[position]])


def _tensors(value: Value) -> Iterator[tuple[int, Tensor]]:
    items = value.items if isinstance(value, TupleValue) else (value,)
    yield from ((number, item) for number, item in enumerate(items) if isinstance(item, Tensor))


def joined(interp: Interpreter, frame: Frame) -> tuple[Value, State]:
    """What holds once the function has returned, where it returns at all.

    What an exception handler returns is possible, but the program under analysis is the one that
    meets no exception: the handler's state counts only where nothing else returns.
    """
    split = not frame.options or interp.program.adopts
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
