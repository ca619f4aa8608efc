"""Deferred: a sequence that is made when somebody looks into it, which few runs do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeVar, overload

Item = TypeVar("Item")


class Deferred(Sequence[Item]):
    """The items that ``make`` gives, once."""

    def __init__(self, make: Callable[[], Sequence[Item]]) -> None:
        self._make = make

    @cached_property
    def _items(self) -> Sequence[Item]:
        return self._make()

    @overload
    def __getitem__(self, index: int) -> Item: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...

    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __reduce__(self) -> tuple[type[tuple[Item, ...]], tuple[Sequence[Item]]]:
        return tuple, (self._items,)
