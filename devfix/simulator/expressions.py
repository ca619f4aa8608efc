"""Expressions: how the user's own code, in the frame where something went wrong, names a tensor.

Nothing of the program is called to find them: no property, ``__getattr__``, ``__getitem__``, ``__iter__`` or
``__class__`` of its own. What is looked at are the names of the frame, what objects keep in their ``__dict__`` and
slots, class attributes, and the items of Python's own containers.
"""

from __future__ import annotations

import re
from collections import UserDict, UserList, deque
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from types import FrameType, GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any, Optional

import torch

from .claims import claim_of, storage_of
from .places import is_user_file

#: How deep attributes and items are followed, how many entries of a container are looked at, and how many in all.
_DEPTH, _WIDTH, _MOST = 5, 64, 4000
_MOST_PATHS = 8
#: What a module keeps for itself; its parameters, buffers and children are found under their own names.
_OWN = frozenset(vars(torch.nn.Module()))
_DATA = (dict, list, tuple, deque, UserDict, UserList)
#: Modules whose children are their items.
_INDEXED = (torch.nn.Sequential, torch.nn.ModuleList, torch.nn.ParameterList)
_KEYED = (torch.nn.ModuleDict, torch.nn.ParameterDict)


def paths_to(tensor: torch.Tensor, frame: Optional[FrameType]) -> list[str]:
    """The expressions of a frame that hold this very tensor, then those that hold another view of the same shape."""
    if frame is None:
        return []
    wanted = storage_of(tensor)
    exact: list[str] = []
    alike: list[str] = []
    for path, value in named_values(frame):
        if value is tensor:
            exact.append(path)
        elif is_tensor(value) and wanted is not None and storage_of(value) is wanted:
            alike += [path] if value.shape == tensor.shape else []
    return list(dict.fromkeys([*exact, *alike]))[:_MOST_PATHS]


def sources_of(tensor: torch.Tensor, frame: Optional[FrameType], text: str) -> list[str]:
    """The expressions in a line of the frame that hold what a tensor was computed from.

    What a library makes of its arguments has no name in the program; they have.
    """
    claim = claim_of(tensor)
    if frame is None or claim is None or claim.made is None:
        return []
    roots = {claim.made, *claim.roots}
    found: dict[str, bool] = {}
    for path, value in named_values(frame):
        other = claim_of(value) if is_tensor(value) and _occurs(path, text) else None
        if other is None or other.made is None or other.device is not claim.device:
            continue
        if other.made in roots or not roots.isdisjoint(other.roots):
            found[path] = value.dtype == tensor.dtype
    # Several may go back to one batch; a dtype tells them apart.
    likely = [path for path, same in found.items() if same] or list(found)
    return likely[:_MOST_PATHS]


def _occurs(path: str, text: str) -> bool:
    return path in text and re.search(rf"(?<![\w.]){re.escape(path)}(?!\w)", text) is not None


def holders(tensor: torch.Tensor, frame: Optional[FrameType]) -> Optional[dict[str, Any]]:
    """The module that owns the tensor as a parameter or buffer, and how the frame names that module."""
    wanted = storage_of(tensor)
    for path, value in named_values(frame) if frame is not None else ():
        if not is_a(value, torch.nn.Module):
            continue
        for name, part in registered(value):
            if part is tensor or (wanted is not None and storage_of(part) is wanted):
                return {"path": path, "name": name, "class": type(value).__qualname__}
    return None


def registered(module: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """The parameters and buffers of a module and its children by their full names, whatever it overrides."""
    seen: set[int] = set()
    waiting = [("", module)]
    while waiting:
        prefix, each = waiting.pop(0)
        if id(each) in seen:
            continue
        seen.add(id(each))
        held = dict_of(each)
        for name, part in chain(held.get("_parameters", {}).items(), held.get("_buffers", {}).items()):
            if is_tensor(part):
                yield f"{prefix}{name}", part
        children = held.get("_modules", {}).items()
        waiting += [(f"{prefix}{name}.", child) for name, child in children if child is not None]


def parameters_of(module: torch.nn.Module) -> list[torch.Tensor]:
    """The parameters of a module and its children."""
    return [part for _, part in registered(module) if is_a(part, torch.nn.Parameter)]


def is_a(value: Any, kinds: Any) -> bool:
    """``isinstance`` by the true type alone: an object may pretend to be of another class."""
    return issubclass(type(value), kinds)


def is_tensor(value: Any) -> bool:
    """Whether a value is a tensor."""
    return issubclass(type(value), torch.Tensor)


def named_values(frame: FrameType) -> Iterator[tuple[str, Any]]:
    """What the names of a frame hold, the nearest first, and what can be reached from there."""
    used = frozenset(frame.f_code.co_names)
    seen: set[int] = set()
    level = list(_names(frame))
    left = _MOST
    for _ in range(_DEPTH):
        yield from islice(level, left)
        left -= len(level)
        if left <= 0:
            return
        # Values stay alive in `level`, so that no identity is taken twice.
        level = [found for path, value in level for found in _parts(path, value, used, seen)]


def _names(frame: FrameType) -> Iterator[tuple[str, Any]]:
    """The local names of a frame, those it takes from the functions around it, and the global ones it uses."""
    own = frame.f_locals
    for name, value in list(own.items()):
        if name.isidentifier() and not name.startswith("__"):
            yield name, value
    if own is not frame.f_globals:
        for name in frame.f_code.co_names:
            if name not in own and name in frame.f_globals:
                yield name, frame.f_globals[name]


def _parts(path: str, value: Any, used: frozenset[str], seen: set[int]) -> Iterator[tuple[str, Any]]:
    kind = type(value)
    if value is None or kind in (int, float, bool, str, bytes) or is_tensor(value) or id(value) in seen:
        return
    seen.add(id(value))
    if issubclass(kind, _DATA):
        yield from islice(_items(path, value, kind), _WIDTH)
    elif issubclass(kind, torch.nn.Module):
        yield from _of_module(path, value)
        yield from _of_class(path, kind)
    elif issubclass(kind, ModuleType):
        # Of the modules that a program imports, its own may hold tensors.
        if is_user_file(str(vars(value).get("__file__", "<"))):
            yield from _attributes(path, {name: part for name, part in vars(value).items() if name in used})
    elif issubclass(kind, type):
        yield from _of_class(path, value)
    else:
        yield from _attributes(path, dict_of(value))
        yield from _slots(path, value, kind)
        yield from _of_class(path, kind)


def _items(path: str, value: Any, kind: type) -> Iterator[tuple[str, Any]]:
    if issubclass(kind, UserDict):
        yield from _entries(path, dict_of(value).get("data"))
    elif issubclass(kind, dict):
        yield from _entries(path, value)
        yield from _attributes(path, dict_of(value))
    else:
        held = dict_of(value).get("data", ()) if issubclass(kind, UserList) else value
        yield from _sequence(path, held, getattr(kind, "_fields", None) if issubclass(kind, tuple) else None)


def _entries(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if is_a(value, dict):
        for key, part in list(islice(dict.items(value), _WIDTH)):
            if type(key) in (str, int, bool, float) or (type(key) is tuple and len(repr(key)) < _WIDTH):
                yield f"{path}[{key!r}]", part


def _sequence(path: str, value: Any, fields: Optional[Sequence[str]]) -> Iterator[tuple[str, Any]]:
    base = next(base for base in (list, tuple, deque) if is_a(value, base))
    for number, part in enumerate(islice(base.__iter__(value), _WIDTH)):
        yield f"{path}.{fields[number]}" if fields and number < len(fields) else f"{path}[{number}]", part


def _of_module(path: str, module: torch.nn.Module) -> Iterator[tuple[str, Any]]:
    held = dict_of(module)
    kind = type(module)
    for name, part in chain.from_iterable(
        held.get(parts, {}).items() for parts in ("_parameters", "_buffers", "_modules")
    ):
        if issubclass(kind, _INDEXED) and name.isdecimal():
            yield f"{path}[{name}]", part
        elif issubclass(kind, _KEYED):
            yield f"{path}[{name!r}]", part
        elif name.isidentifier():
            yield f"{path}.{name}", part
    yield from _attributes(path, {name: part for name, part in held.items() if name not in _OWN})


def dict_of(value: Any) -> dict[str, Any]:
    """What an object keeps in its ``__dict__``; nothing where that is something else than Python's own."""
    for base in type(value).__mro__:
        descriptor = base.__dict__.get("__dict__")
        if descriptor is not None:
            held = descriptor.__get__(value) if type(descriptor) is GetSetDescriptorType else {}
            return held if type(held) is dict else {}
    return {}


def _slots(path: str, value: Any, kind: type) -> Iterator[tuple[str, Any]]:
    for base in kind.__mro__:
        for name, descriptor in list(base.__dict__.items()):
            if type(descriptor) is MemberDescriptorType and base.__module__ != "builtins":
                try:
                    yield f"{path}.{name}", descriptor.__get__(value)
                except AttributeError:
                    continue


def _of_class(path: str, kind: type) -> Iterator[tuple[str, Any]]:
    """The tensors among the attributes of a class, and those in its lists and dicts."""
    for base in kind.__mro__[:-1]:
        if base.__module__.partition(".")[0] != "torch":
            held = {
                name: part for name, part in base.__dict__.items() if is_tensor(part) or type(part) in _DATA
            }
            yield from _attributes(path, held)


def _attributes(path: str, held: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, part in list(islice(held.items(), _WIDTH)):
        if type(name) is str and name.isidentifier() and not name.startswith("__"):
            yield f"{path}.{name}", part
