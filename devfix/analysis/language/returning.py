"""Returning: what a function gives back, and the state in which it does, over all of its ``return``s."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.assumptions import own_files
from devfix.analysis.assumptions.usual_values import like_usual
from devfix.analysis.domain.join import join_values
from devfix.analysis.domain.state import State, is_loaded, join_states, keep_main_path
from devfix.analysis.domain.values import DeviceValue, ExternalMethod, Tensor, TupleValue, Unknown, Value
from devfix.analysis.language.frames import Frame
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.requirements import Part

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
    value, state = _join(interp, frame, split=split)
    for rescued, other in frame.rescues if frame.returns else ():
        fills = id(other) in frame.filling
        if fills and isinstance(value, (Unknown, ExternalMethod)):
            value = rescued
        elif not _is_place_of_tensor(value):  # a device for what has none says nothing of what has one
            value = join_values(value, rescued, split=split and fills)
        state = join_states(state, other, alike=True) if fills else keep_main_path(state, other)
    return value, state


def _is_place_of_tensor(value: Value) -> bool:
    """Whether a device is where a tensor is of which that is known."""
    return isinstance(value, DeviceValue) and value.followed and value.device.is_known


def _join(interp: Interpreter, frame: Frame, *, split: bool) -> tuple[Value, State]:
    """All returns as one; what options lead to that are usually not given looks like the rest as far as it can.

    Of what was read from a file where there was one, what is made where there was none tells what it is.
    """
    unusual, returns = frame.unusual, frame.returns or frame.rescues
    if len(returns) == 1:
        return returns[0]
    first, *others = sorted(returns, key=lambda each: id(each[1]) in unusual)
    value, state = first
    for other in others:
        other_value, other_state = other
        usual = True if id(other_state) in unusual and id(first[1]) not in unusual else None
        alike = not frame.alike.isdisjoint((id(first[1]), id(other_state)))
        if alike:
            own_files.tell(interp, state, other_state)
            value, other_value = _told(value, state, *other), _told(*other, value, state)
        state = join_states(state, other_state, split=split, usual=usual, alike=alike)
        if usual and isinstance(other_value, Unknown):
            continue  # the program under analysis returns the other one
        like = like_usual(other_value, value) if usual else other_value
        value = join_values(value, like, split=split)
    return value, state


def _told(value: Value, state: State, other: Value, other_state: State) -> Value:
    """A value, with what another tells of those of its parts of which nothing is known but that they were read."""
    if is_loaded(state, value):
        return other if not is_loaded(other_state, other) else value
    if (
        isinstance(value, TupleValue)
        and isinstance(other, TupleValue)
        and len(value.items) == len(other.items)
    ):
        pairs = zip(value.items, other.items, strict=True)
        return value.with_items(_told(mine, state, theirs, other_state) for mine, theirs in pairs)
    return value
