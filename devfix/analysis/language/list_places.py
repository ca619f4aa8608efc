"""List places: what a list holds after an item was taken out of a known place, or put into one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import Const, Obj, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: The fact of what has no order, or lets go of items by itself.
UNORDERED = "unordered"


def without(interp: Interpreter, obj: Obj, key: Value) -> tuple[Value, Obj] | None:
    """The item in a place, and the list without it; None where either is not known."""
    items = _known(interp, obj)
    if items is None or not isinstance(key, Const) or type(key.value) is not int:
        return None
    if not -len(items) <= key.value < len(items):
        return None
    place = key.value % len(items)
    return items[place], replace(obj, items=(*items[:place], *items[place + 1 :]))


def with_item(interp: Interpreter, obj: Obj, key: Value, value: Value) -> Obj | None:
    """The list with another item before a place; None where it is not known what it holds where."""
    items = _known(interp, obj)
    if items is None or not isinstance(key, Const) or type(key.value) is not int:
        return None
    rest = list(items)
    rest.insert(key.value, value)
    return replace(obj, items=tuple(rest))


def _known(interp: Interpreter, obj: Obj) -> tuple[Value, ...] | None:
    """The items of a list, unless there are more or a loop goes on to change it that is only followed for some rounds."""
    if obj.kind != "list" or obj.element is not None or UNORDERED in obj.facts:
        return None
    return obj.items if all(loop.exact for frame in interp.stack for loop in frame.loops) else None
