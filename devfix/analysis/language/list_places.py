"""List places: what a list holds after an item was taken out of a known place, or put into one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_elements
from devfix.analysis.domain.values import Const, Obj, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: The fact of what has no order, or lets go of items by itself.
UNORDERED = "unordered"
#: The fact of a list that grew in a loop of which only some rounds were followed: so many of its items are where Python has
#: them, and between these and the rest, in the same order, there may be more.
GROWN = "grown"


def grown(obj: Obj, begin: int) -> Obj:
    """A list that may have more items than are known, none of them among the first ones; it may have grown before."""
    return obj if GROWN in obj.facts else replace(obj, facts={**obj.facts, GROWN: Const(begin)})


def begin(obj: Obj) -> int:
    """How many items are where they are known to be, whatever a loop has put behind them."""
    told = obj.facts.get(GROWN, Const(len(obj.items or ())))
    return told.value if isinstance(told, Const) and isinstance(told.value, int) else 0


def item(obj: Obj, place: int) -> Value | None:
    """What is in a place of a list, counted from its end where that is negative; None where no item is known to be."""
    items = obj.items or ()
    if place >= begin(obj) and GROWN in obj.facts:
        behind = items[begin(obj) :] or items
        return join_elements(list(behind)) if behind else None
    return items[place] if -len(items) <= place < len(items) else None


def sliced(obj: Obj, items: tuple[Value, ...], bounds: slice) -> Obj:
    """``items[bounds]`` of a list with these items; what begins behind the first known ones is a list of any of the rest."""
    made = replace(obj, items=items[bounds])
    if GROWN not in obj.facts:
        return made
    start = bounds.start or 0
    first = max(begin(obj) - start, 0) if start >= 0 and bounds.step in (None, 1) else 0
    return made.with_fact(GROWN, Const(first))


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


def turned(interp: Interpreter, obj: Obj) -> Obj | None:
    """The list the other way round; None where it is not known what it holds where."""
    items = _known(interp, obj)
    return None if items is None else replace(obj, items=items[::-1])


def with_slice(
    interp: Interpreter, obj: Obj, bounds: slice | None, values: tuple[Value, ...] | None
) -> Obj | None:
    """The list with other items in the place of a slice; None where it is not known what it holds where."""
    items = _known(interp, obj)
    if items is None or bounds is None or values is None:
        return None
    rest = list(items)
    try:
        rest[bounds] = values
    except ValueError:  # as many as there are, where they are not one after the other
        return None
    return replace(obj, items=tuple(rest))


def _known(interp: Interpreter, obj: Obj) -> tuple[Value, ...] | None:
    """The items of a list, unless there are more or a loop goes on to change it that is only followed for some rounds."""
    if obj.kind != "list" or obj.element is not None or UNORDERED in obj.facts:
        return None
    return obj.items if all(loop.exact for frame in interp.stack for loop in frame.loops) else None
