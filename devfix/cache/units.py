"""Units in a store: what an analysis keeps of one program, as compact JSON data, and back.

Texts, bindings and questions are many and mostly the same: each is written once, and goes by its number.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Generic, TypeVar

from devfix.analysis.accounts import Limit, Taken
from devfix.analysis.domain.lattice import Device
from devfix.analysis.record.recorder import Binding, BoundName, Moved, OptionalPlace
from devfix.analysis.reuse.units import Drawn, Kept, Unit
from devfix.cache.codec import decoded, encoded
from devfix.findings import Span

Item = TypeVar("Item", bound=Hashable)


class _Table(Generic[Item]):
    """Things by the numbers that stand for them."""

    def __init__(self) -> None:
        self.numbers: dict[Item, int] = {}

    def __call__(self, item: Item) -> int:
        return self.numbers.setdefault(item, len(self.numbers))

    def rows(self, row: Callable[[Item], Any]) -> list[Any]:
        return [row(item) for item in self.numbers]


def data_of(kept: Kept) -> Any:
    """What is kept of a program as JSON data."""
    texts: _Table[str] = _Table()
    bindings: _Table[int] = _Table()
    reads: _Table[tuple[Any, ...]] = _Table()
    places: _Table[tuple[str, int, int]] = _Table()
    calls: _Table[OptionalPlace] = _Table()
    units = [
        [
            path, unit.digest, unit.steps, list(unit.flags), list(map(reads, unit.reads)),
            list(map(bindings, unit.bindings)), list(map(places, unit.executed)),
            [[texts(where), *_numbers(span)] for where, span in unit.things],
            [[texts(where), *_numbers(span), int(moved)] for where, span, moved in unit.idle],
            list(unit.unified), [_of_account(each, places) for each in unit.accounts],
            encoded(unit.mismatches), encoded(unit.remarked),
            list(map(calls, unit.optional)), list(unit.unfinished),
        ]
        for path, unit in kept.units.items()
    ]  # fmt: skip
    rows = bindings.rows(lambda number: _of_binding(kept.bindings[number], texts))
    asked = reads.rows(lambda read: [texts(part) if isinstance(part, str) else [part] for part in read])
    spots = places.rows(lambda place: [texts(place[0]), *place[1:]])
    optional = calls.rows(lambda call: _of_call(call, texts))
    return [list(texts.numbers), rows, asked, spots, optional, units]


def kept_from(data: Any) -> Kept:
    """What was kept, from its data; raises an error of those that wrong data lead to."""
    texts, rows, asked, spots, optional, units = data
    calls = [_call(row, texts) for row in optional]
    reads = [tuple(part[0] if isinstance(part, list) else texts[part] for part in read) for read in asked]
    places = [(texts[path], line, column) for path, line, column in spots]
    found = {}
    for unit in units:
        path, answers, steps, flags, read, bound, executed, things, idle, unified, accounts, *rest = unit
        mismatches, remarked, called, left = rest
        found[path] = Unit(
            tuple(reads[each] for each in read), answers, steps, tuple(flags), tuple(bound),
            decoded(mismatches),
            tuple(places[each] for each in executed),
            tuple((texts[where], Span(*span)) for where, *span in things),
            tuple((texts[where], Span(*span), Moved(moved)) for where, *span, moved in idle),
            decoded(remarked), tuple((a, b) for a, b in unified),
            tuple(_account(each, places) for each in accounts),
            tuple(calls[each] for each in called), tuple((where, name) for where, name in left),
        )  # fmt: skip
    return Kept(found, [_binding(row, texts) for row in rows])


def _of_call(call: OptionalPlace, texts: _Table[str]) -> list[Any]:
    where, path, kind, given = (
        texts(call.defined_in),
        texts(call.path),
        texts(call.kind),
        map(texts, call.given),
    )
    return [where, call.line, call.column, path, kind, call.span, call.positional, list(given), call.is_open]


def _call(row: list[Any], texts: list[str]) -> OptionalPlace:
    where, line, column, path, kind, span, positional, given, is_open = row
    names = tuple(texts[each] for each in given)
    return OptionalPlace(
        texts[where], line, column, texts[path], texts[kind], tuple(span), positional, names, is_open
    )


def _of_account(drawn: Drawn, places: _Table[tuple[str, int, int]]) -> list[Any]:
    return [places(drawn.place), *drawn.taken, _flat(drawn.kept_to), _flat(drawn.reached)]


def _account(data: list[Any], places: list[tuple[str, int, int]]) -> Drawn:
    place, calls, steps, kept_to, reached = data
    return Drawn(places[place], (calls, steps), _limits(kept_to), _limits(reached))


def _flat(limits: Iterable[tuple[Limit, Taken]]) -> list[int]:
    return [number for limit, taken in limits for number in (*limit, *taken)]


def _limits(flat: list[int]) -> tuple[tuple[Limit, Taken], ...]:
    """Each limit with what was taken by then: two numbers each."""
    return tuple(((flat[at], flat[at + 1]), (flat[at + 2], flat[at + 3])) for at in range(0, len(flat), 4))


def _of_binding(bound: BoundName, texts: _Table[str]) -> list[Any]:
    path, scope, name, binding = bound
    device = [] if binding.device is None else [texts(binding.device.kind), texts(binding.device.label)]
    span = [] if binding.statement is None else _numbers(binding.statement)
    return [texts(path), texts(scope), texts(name), texts(binding.kind), device, span, binding.registered]


def _binding(row: list[Any], texts: list[str]) -> BoundName:
    path, scope, name, kind, device, span, registered = row
    on = Device(texts[device[0]], texts[device[1]]) if device else None
    binding = Binding(texts[kind], on, Span(*span) if span else None, registered)
    return texts[path], texts[scope], texts[name], binding


def _numbers(span: Span) -> list[int]:
    return [span.line, span.column, span.end_line, span.end_column]
