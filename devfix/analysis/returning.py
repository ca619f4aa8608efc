"""Returning: what a function gives back, and the state in which it does, over all of its ``return``s."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.frames import Frame
from devfix.analysis.join import join_values, like_usual
from devfix.analysis.state import State, join_states, keep_main_path
from devfix.analysis.torch_model import requirements
from devfix.analysis.torch_model.requirements import Part
from devfix.analysis.values import ExternalMethod, Tensor, TupleValue, Unknown, Value

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
    value, state = _join(frame.returns or frame.rescues, frame.unusual, split=split)
    for rescued, other in frame.rescues if frame.returns else ():
        fills = id(other) in frame.filling
        taken = fills and isinstance(value, (Unknown, ExternalMethod))
        value = rescued if taken else join_values(value, rescued, split=split and fills)
        state = join_states(state, other, alike=True) if fills else keep_main_path(state, other)
    return value, state


def _join(returns: list[tuple[Value, State]], unusual: set[int], *, split: bool) -> tuple[Value, State]:
    """All returns as one; what options lead to that are usually not given looks like the rest as far as it can."""
    first, *others = sorted(returns, key=lambda each: id(each[1]) in unusual)
    value, state = first
    for other_value, other_state in others:
        usual = True if id(other_state) in unusual and id(first[1]) not in unusual else None
        state = join_states(state, other_state, split=split, usual=usual)
        if usual and isinstance(other_value, Unknown):
            continue  # the program under analysis returns the other one
        alike = like_usual(other_value, value) if usual else other_value
        value = join_values(value, alike, split=split)
    return value, state
