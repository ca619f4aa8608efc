"""Owners: the modules that hold a tensor as a parameter or buffer, seen from the frames of the program.

A parameter that stayed on the CPU is put right where its module is made, or where the model it belongs to is
moved; and if nothing ever moves it, because a plain list keeps its module from the model, there.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Sequence
from itertools import islice
from types import FrameType
from typing import Any, Optional

import torch

from .claims import device_of, storage_of
from .expressions import is_a, named_values, parameters_of, registered
from .places import Spot, place

_MOST_EXPRESSIONS = 3
_FIRST_NAME = re.compile(r"[.\[]")


class Constructions:
    """Where the calls stood that made modules; told apart by identity, since a class may compare or hash otherwise."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[torch.nn.Module], Optional[Spot]]] = {}

    def __setitem__(self, module: torch.nn.Module, spot: Optional[Spot]) -> None:
        number = id(module)
        self._known[number] = (weakref.ref(module, lambda _gone: self._known.pop(number, None)), spot)

    def get(self, module: torch.nn.Module) -> Optional[Spot]:
        """The line that made a module, if that is known."""
        known = self._known.get(id(module))
        return known[1] if known is not None and known[0]() is module else None


constructions = Constructions()


class Owners:
    """What the frames of one stack can reach: modules with what each of them holds, and tensors."""

    def __init__(self, stack: Sequence[FrameType]) -> None:
        self._values = [dict(named_values(frame)) for frame in stack]
        self._held: dict[int, dict[int, str]] = {}
        # What is known by its identity has to live until the question is answered.
        self._alive: list[Any] = []

    def of(self, tensor: torch.Tensor) -> list[dict[str, Any]]:
        """For each frame (outermost first) that reaches one: the largest module that is where its tensor is.

        ``path`` and ``name`` say how the frame reaches the module, and what the tensor is called in it; ``whole``
        is false where no module in reach lies on one device; ``kept`` is the attribute through which a module
        holds it without owning it.
        """
        storage = storage_of(tensor)
        self._alive.append(storage)
        found = []
        for number, values in enumerate(self._values):
            owner = self._owner(id(storage), device_of(tensor), values) if storage is not None else None
            if owner is not None:
                found.append({"frame": number, **owner})
        return found

    def expressions(self, tensor: torch.Tensor) -> list[list[str]]:
        """For each frame, outermost first, the expressions that hold the tensor or a view of it (at most a few)."""
        storage = storage_of(tensor)
        found = []
        for values in self._values:
            held = (
                path
                for path, value in values.items()
                if is_a(value, torch.Tensor) and storage is not None and storage_of(value) is storage
            )
            found.append(list(islice(held, _MOST_EXPRESSIONS)))
        return found

    def _owner(self, storage: int, device: torch.device, values: dict[str, Any]) -> Optional[dict[str, Any]]:
        first: Optional[dict[str, Any]] = None
        for path, module in values.items():
            name = self._names(module).get(storage) if is_a(module, torch.nn.Module) else None
            if name is None:
                continue
            whole = all(device_of(part) == device for part in parameters_of(module))
            if whole or first is None:
                described = {
                    "path": path,
                    "name": name,
                    "class": _class_name(module),
                    "whole": whole,
                    "kept": _kept(path, values),
                    "made": place(constructions.get(module)),
                }
                if whole:
                    return described
                first = described
        return first

    def _names(self, module: torch.nn.Module) -> dict[int, str]:
        """What the parameters and buffers of a module are called, by the identity of their storages."""
        known = self._held.get(id(module))
        if known is None:
            known = self._held[id(module)] = {}
            for name, part in registered(module):
                storage = storage_of(part)
                self._alive.append(storage)
                known.setdefault(id(storage), name)
        return known


def _class_name(module: torch.nn.Module) -> str:
    """The class as the program calls it; those of torch by their full name."""
    kind = type(module)
    return f"torch.nn.{kind.__qualname__}" if kind.__module__.startswith("torch.nn.") else kind.__qualname__


def _kept(path: str, values: dict[str, Any]) -> Optional[dict[str, str]]:
    """The plain attribute of a module that lies on the way to ``path``, and the type of what it holds."""
    for end, sign in enumerate(path):
        owner = values.get(path[:end]) if sign == "." else None
        name = _FIRST_NAME.split(path[end + 1 :], maxsplit=1)[0]
        if is_a(owner, torch.nn.Module) and name in vars(owner):
            return {"path": f"{path[:end]}.{name}", "type": type(vars(owner)[name]).__name__}
    return None
