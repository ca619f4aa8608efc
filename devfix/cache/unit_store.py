"""Unit store: where what analyses keep of programs lies between runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from devfix.cache.signatures import digest
from devfix.cache.store import Store

if TYPE_CHECKING:
    from devfix.analysis.reuse.units import Keeper

#: A program is written again when more than this part of it was analysed anew.
_STALE = 0.05


@dataclass(frozen=True, slots=True)
class UnitStore:
    """Where the units of programs are kept, for one state of the tool and one way to call it."""

    store: Store
    tool: str
    call: str

    def keeper(self, path: str) -> Keeper:
        """What keeps the units of the program that begins with a file."""
        from devfix.analysis.reuse.units import Keeper  # noqa: PLC0415 - an unchanged tree is not analysed
        from devfix.cache.units import kept_from  # noqa: PLC0415

        data = self.store.read(self._name(path))
        try:
            if isinstance(data, list) and len(data) == 2 and data[0] == self.tool:
                return Keeper(kept_from(data[1]))
        except (LookupError, TypeError, ValueError, RecursionError):
            pass
        return Keeper()

    def keep(self, path: str, keeper: Keeper) -> None:
        """Write down what a keeper knows, unless most of it is there already."""
        from devfix.cache.units import data_of  # noqa: PLC0415 - as above

        if keeper.steps > _STALE * (keeper.steps + keeper.saved):
            self.store.write(self._name(path), [self.tool, data_of(keeper.kept())])
        else:
            self.store.touch(self._name(path))

    def _name(self, path: str) -> str:
        return digest(f"Units {self.call} {path}".encode(errors="surrogateescape"))
