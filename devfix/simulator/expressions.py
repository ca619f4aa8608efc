"""Expressions: how the user's own code, in the frame where something went wrong, names a tensor."""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType
from typing import Any, Optional

import torch

from .claims import storage_of

#: How deep attributes and items are followed, and how many entries of a container are looked at.
_DEPTH, _WIDTH = 3, 64


def paths_to(tensor: torch.Tensor, frame: Optional[FrameType]) -> list[str]:
    """The expressions of a frame that hold this very tensor: names, attributes and constant items."""
    if frame is None:
        return []
    wanted = storage_of(tensor)
    exact = [path for path, value in named_values(frame) if value is tensor]
    same = [
        path
        for path, value in named_values(frame)
        if isinstance(value, torch.Tensor)
        and value.shape == tensor.shape
        and wanted is not None
        and storage_of(value) is wanted
    ]
    return list(dict.fromkeys([*exact, *same]))[:8]


def holders(tensor: torch.Tensor, frame: Optional[FrameType]) -> Optional[dict[str, Any]]:
    """The module that owns the tensor as a parameter or buffer, and how the frame names that module."""
    if frame is None:
        return None
    wanted = storage_of(tensor)
    for path, value in named_values(frame):
        if not isinstance(value, torch.nn.Module):
            continue
        for name, part in [*value.named_parameters(), *value.named_buffers()]:
            if part is tensor or (wanted is not None and storage_of(part) is wanted):
                return {"path": path, "name": name, "class": type(value).__qualname__}
    return None


def named_values(frame: FrameType) -> Iterator[tuple[str, Any]]:
    """What the names of a frame hold, the nearest first, and what can be reached from there."""
    names = dict(frame.f_locals)
    for name in frame.f_code.co_names:
        if name not in names and name in frame.f_globals:
            names[name] = frame.f_globals[name]
    seen: set[int] = set()
    level = [(name, value) for name, value in names.items() if name.isidentifier()]
    for _ in range(_DEPTH):
        yield from level
        level = [found for path, value in level for found in _parts(path, value, seen)]


def _parts(path: str, value: Any, seen: set[int]) -> Iterator[tuple[str, Any]]:
    if id(value) in seen or isinstance(value, (torch.Tensor, type, str, bytes)) or callable(value) is None:
        return
    seen.add(id(value))
    if isinstance(value, dict):
        for key, part in list(value.items())[:_WIDTH]:
            if isinstance(key, (str, int)):
                yield f"{path}[{key!r}]", part
    elif isinstance(value, (list, tuple)):
        yield from _items(path, value)
    elif isinstance(value, torch.nn.Module):
        yield from _attributes(path, {**vars(value), **value._parameters, **value._buffers, **value._modules})
    elif hasattr(value, "__dict__") and not isinstance(value, type(torch)):
        yield from _attributes(path, vars(value))


def _items(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    fields = getattr(value, "_fields", None)
    for number, part in enumerate(list(value)[:_WIDTH]):
        yield f"{path}.{fields[number]}" if fields else f"{path}[{number}]", part


def _attributes(path: str, held: Any) -> Iterator[tuple[str, Any]]:
    for name, part in list(held.items())[:_WIDTH]:
        if isinstance(name, str) and name.isidentifier() and not name.startswith("__"):
            yield f"{path}.{name}", part
