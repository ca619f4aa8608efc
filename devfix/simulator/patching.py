"""Patcher: replaces attributes of modules and classes, and puts back what was there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Callable, Dict, Tuple

_MISSING = object()
_CALL = object()
#: A module by the name it was imported by, with its own names.
_Space = Tuple[str, ModuleType, Dict[str, Any]]


class Patcher:
    """Remembers every attribute it replaces; :meth:`undo` restores them, last first."""

    def __init__(self) -> None:
        self._undo: list[tuple[Any, str, Any]] = []
        self._modules: dict[str, tuple[int, list[_Space]]] = {}

    def set(self, owner: Any, name: str, value: Any) -> Any:
        """Replace ``owner.name``; the original comes back (None when there was none)."""
        own = vars(owner).get(name, _MISSING)
        original = getattr(owner, name, None)
        self._undo.append((owner, name, own))
        setattr(owner, name, value)
        return original

    def wrap(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        """Replace ``owner.name`` by ``make(original)``; does nothing where the name does not exist."""
        original = getattr(owner, name, None)
        if original is not None:
            self.set(owner, name, make(original))

    def everywhere(self, package: ModuleType, name: str, original: Any, value: Any) -> None:
        """Replace ``name`` in every module of a package that took it from where it is defined."""
        # There are thousands of modules, of which a few have it.
        spaces = self._spaces(package.__name__)
        for module in [module for _, module, names in spaces if names.get(name) is original]:
            self.set(module, name, value)

    def modules(self, package: ModuleType) -> list[ModuleType]:
        """The modules of a package, itself among them."""
        return [module for _, module, _ in self._spaces(package.__name__)]

    def _spaces(self, name: str) -> list[_Space]:
        """The modules of the package of a name; they are looked for again once others are imported."""
        imported, (known, found) = len(sys.modules), self._modules.get(name, (0, []))
        if known == imported:
            return found
        within, root = f"{name}.", name.partition(".")[0]
        if root != name:
            found = [space for space in self._spaces(root) if space[0] == name or space[0].startswith(within)]
        else:
            every = list(sys.modules.items())
            found = [(key, each, vars(each)) for key, each in every if key == name or key.startswith(within)]
        self._modules[name] = imported, found
        return found

    def item(self, mapping: dict[Any, Any], key: Any, value: Any) -> None:
        """Replace one entry of a dictionary."""
        self._undo.append((mapping, "", (key, mapping.get(key, _MISSING))))
        mapping[key] = value

    def finally_call(self, function: Callable[[], Any]) -> None:
        """Call a function when everything is put back, in turn with the rest."""
        self._undo.append((function, "", _CALL))

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Have everything as it was for as long as a block runs."""
        replaced: list[tuple[Any, str, Any]] = []
        for owner, name, own in reversed(self._undo):
            if own is not _CALL:
                replaced.append((owner, name, _current(owner, name, own)))
                _put(owner, name, own)
        try:
            yield
        finally:
            for owner, name, own in reversed(replaced):
                _put(owner, name, own)

    def undo(self) -> None:
        """Put everything back."""
        while self._undo:
            owner, name, own = self._undo.pop()
            if own is _CALL:
                owner()
            else:
                _put(owner, name, own)


def _current(owner: Any, name: str, own: Any) -> Any:
    if isinstance(owner, dict):
        return own[0], owner.get(own[0], _MISSING)
    return vars(owner).get(name, _MISSING)


def _put(owner: Any, name: str, own: Any) -> None:
    if isinstance(owner, dict):
        key, value = own
        if value is _MISSING:
            owner.pop(key, None)
        else:
            owner[key] = value
    elif own is _MISSING:
        delattr(owner, name)
    else:
        setattr(owner, name, own)
