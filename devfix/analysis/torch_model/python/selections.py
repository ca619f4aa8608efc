"""Selections: tools that let some of the items of a collection through (``filter``, ``takewhile``), or one (``max``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.deciding.answers import truth
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import any_one, join_all, scalar_type
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Const,
    Scalar,
    Sequence,
    TupleValue,
    Value,
    usual_value,
)
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import Arg, CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

Handler = Callable[["Interpreter", str, CallSite], Value]
#: So many items are told apart by a predicate.
_MOST = 16


def through(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``filter``, ``filterfalse``, ``takewhile``, ``dropwhile``: what a predicate lets through; where nobody knows that, any of the items."""
    if len(site.args) < 2:
        return UNKNOWN
    items = _items(interp, site.args[1])
    if items is None or len(items) > _MOST:
        return _any_of(interp, site.args[1], items)
    answers = _answers(interp, site.args[0].value, items, site)
    if name.endswith(("filter", "filterfalse")):
        return _without(items, answers, left_out=name.endswith("filterfalse"))
    end = next((place for place, answer in enumerate(answers) if answer is not True), len(items))
    if end < len(items) and answers[end] is None:
        return Sequence(join_all(list(items)))
    return TupleValue(items[:end] if name.endswith("takewhile") else items[end:])


def compress(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``compress(items, selectors)``."""
    if not site.args:
        return UNKNOWN
    items = iteration.exact_items(interp, site.args[0].value)
    selectors = iteration.exact_items(interp, site.args[1].value) if len(site.args) > 1 else None
    if items is None or selectors is None:
        return _any_of(interp, site.args[0], items)
    count = min(len(items), len(selectors))
    answers = [truth(interp, each) for each in selectors[:count]]
    return _without(items[:count], answers, left_out=False)


def _without(items: tuple[Value, ...], answers: list[bool | None], *, left_out: bool) -> Value:
    """The items without those of which the answer leaves them out; where one is not known, any of the others."""
    kept = tuple(item for item, answer in zip(items, answers, strict=True) if answer is not left_out)
    return Sequence(join_all(list(kept))) if None in answers else TupleValue(kept)


def extreme(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``max`` and ``min``."""
    values = [arg.value for arg in site.args]
    if len(values) == 1:
        default = site.value(None, "default")
        if default is not None and iteration.left(interp, values[0]) == ():
            return default
        return _one_of(interp, name, site)
    numbers = [value.value for value in values if isinstance(value, Const) and type(value.value) is int]
    if numbers and len(numbers) == len(values):
        return Const(max(numbers) if name.endswith("max") else min(numbers))
    if name.endswith("min") and 1 in numbers and all(scalar_type(value) == "int" for value in values):
        return Const(1)  # of things of which there is one at the most there is one
    usual = [each.value for each in map(usual_value, values) if each is not None and type(each.value) is int]
    if usual and len(usual) == len(values):
        return Scalar("int", max(usual) if name.endswith("max") else min(usual))
    joined = join_all(values) if values else UNKNOWN
    return replace(joined, usual=None) if isinstance(joined, Scalar) else joined


def _one_of(interp: Interpreter, name: str, site: CallSite) -> Value:
    """The item that is the largest or smallest by a key, where those are known; else any, none of which is it for certain."""
    given, key = site.args[0], site.value(None, "key")
    items = _items(interp, given)
    if not items:
        return any_one(iteration.element(interp, given.value, given.node))
    if key is not None and key != NONE and len(items) <= _MOST:
        keys = [interp.call(key, CallSite(site.node, (Arg(item),))) for item in items]
        known = [each.value for each in keys if isinstance(each, Const) and type(each.value) in (int, float)]
        if len(known) == len(items):
            chosen = max(known) if name.endswith("max") else min(known)  # type: ignore[type-var] # numbers
            return items[known.index(chosen)]
    return join_all(list(items))


def _items(interp: Interpreter, given: Arg) -> tuple[Value, ...] | None:
    return iteration.fresh_items(interp, given.value, given.node)


def _any_of(interp: Interpreter, given: Arg, items: tuple[Value, ...] | None) -> Value:
    """Some of a collection, of whose ``items`` none is among them for certain."""
    if items:
        return Sequence(join_all(list(items)))
    return Sequence(any_one(iteration.element(interp, given.value, given.node)))


def _answers(
    interp: Interpreter, predicate: Value, items: tuple[Value, ...], site: CallSite
) -> list[bool | None]:
    """What a predicate says of each item; without one it is whether that counts as true."""
    asked = [
        item if predicate == NONE else interp.call(predicate, CallSite(site.node, (Arg(item),)))
        for item in items
    ]
    return [truth(interp, each) for each in asked]


HANDLERS: dict[str, Handler] = {
    "builtins.max": extreme,
    "builtins.min": extreme,
    "itertools.compress": compress,
    **dict.fromkeys(
        ("builtins.filter", "itertools.filterfalse", "itertools.takewhile", "itertools.dropwhile"), through
    ),
}
