"""Slots: the tensors of a call by the names that its parameters have, and the call with other tensors in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

import torch

#: Where a value stands in a call: the position or name of the argument, and the positions within lists.
Path = tuple[Union[int, str], ...]


class Slot(NamedTuple):
    """One tensor of a call."""

    role: str
    tensor: torch.Tensor
    path: Path


def slots_of(names: Sequence[str], args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Slot]:
    """The tensors of a call whose parameters have these names, in the order they are passed."""
    found: list[Slot] = []
    for position, value in enumerate(args):
        role = names[position] if position < len(names) else "input"
        found += _within(role, value, (position,))
    for name, value in kwargs.items():
        found += _within(name, value, (name,))
    return found


def slots_of_operator(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Slot]:
    """The tensors of a call of an operator."""
    return slots_of([argument.name for argument in func._schema.arguments], args, kwargs)


def _within(role: str, value: Any, path: Path) -> Iterator[Slot]:
    if isinstance(value, torch.Tensor):
        yield Slot(role, value, path)
    elif type(value) in (list, tuple):
        for position, part in enumerate(value):
            yield from _within(role, part, (*path, position))


def with_tensors(
    args: Sequence[Any], kwargs: Mapping[str, Any], tensors: Mapping[Path, torch.Tensor]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a call with other tensors at some places."""
    changed = list(args)
    named = dict(kwargs)
    for path, tensor in tensors.items():
        target: Any = changed if isinstance(path[0], int) else named
        target[path[0]] = _put(target[path[0]], path[1:], tensor)
    return changed, named


def _put(value: Any, path: Path, tensor: torch.Tensor) -> Any:
    if not path:
        return tensor
    held = list(value)
    position = path[0]
    assert isinstance(position, int)  # noqa: S101 - only the first step may be a name
    held[position] = _put(held[position], path[1:], tensor)
    return held if isinstance(value, list) else tuple(held)


def written_slot(func: Any, slots: Sequence[Slot]) -> Optional[Slot]:
    """The tensor that an operator writes its result to in place; None where it makes a new one."""
    for position, argument in enumerate(func._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            paths = ((position,), (argument.name,))
            return next((slot for slot in slots if slot.path in paths), None)
    return None
