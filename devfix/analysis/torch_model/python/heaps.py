"""``heapq`` and ``bisect``: lists that are kept in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.join import any_one, join_all
from devfix.analysis.domain.values import NONE, UNKNOWN, Ref, Scalar, Sequence, Value
from devfix.analysis.language import containers, iteration
from devfix.analysis.language.frames import CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def push(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``heappush(heap, item)``, ``insort(items, item)``."""
    heap, item = site.value(0, "heap", "a"), site.value(1, "item", "x")
    if isinstance(heap, Ref) and item is not None and interp.obj(heap).kind == "list":
        containers.append(interp, heap, item)
        interp.update(heap, containers.shuffled(interp.obj(heap)))
    return NONE


def pop(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``heappop(heap)``, ``heapreplace(heap, item)``: any of the items."""
    heap = site.value(0, "heap")
    if not isinstance(heap, Ref) or interp.obj(heap).kind != "list":
        return UNKNOWN
    if len(site.args) > 1:
        push(interp, name, site)
    held = containers.everything(interp.obj(heap))
    interp.update(heap, containers.taken_from(interp.obj(heap)))
    found = join_all(held) if held else UNKNOWN
    return found if interp.frame.loops else any_one(found)


def best(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``heapq.nlargest(n, items)``: some of the items."""
    arg = site.get(1, "iterable")
    return Sequence(any_one(iteration.element(interp, arg.value, arg.node))) if arg is not None else UNKNOWN


def place(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``bisect.bisect(items, item)``."""
    return Scalar("int")


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **dict.fromkeys(("heapq.heappush", "bisect.insort", "bisect.insort_left", "bisect.insort_right"), push),
    **dict.fromkeys(("heapq.heappop", "heapq.heapreplace", "heapq.heappushpop"), pop),
    **dict.fromkeys(("heapq.nlargest", "heapq.nsmallest"), best),
    **dict.fromkeys(("bisect.bisect", "bisect.bisect_left", "bisect.bisect_right"), place),
}
