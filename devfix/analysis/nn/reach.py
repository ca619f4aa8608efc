"""Reach: the objects that code gets at which is given a value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import Obj, Partial, Ref, Sequence, TupleValue, Union, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Values through which code gets at objects.
HOLDERS = (Ref, TupleValue, Sequence, Union, Partial)
_HOLDING = frozenset(HOLDERS)


def objects(interp: Interpreter, value: Value) -> Iterator[tuple[Ref, Obj]]:
    """The objects within reach of a value, each as it is before anybody who asks for the next one changes it."""
    seen: set[int] = set()
    pending = [value]
    while pending:
        current = pending.pop()
        if not isinstance(current, Ref):
            pending.extend(within(current))
            continue
        obj = interp.obj_of(current)
        if obj is None or current.address in seen:
            continue
        seen.add(current.address)
        held = (*obj.attrs.values(), *(obj.items or ()), obj.element)
        pending += [v for v in held if v is not None and v.__class__ in _HOLDING]
        yield current, obj


def within(value: Value) -> tuple[Value, ...]:
    """What a value that is no object has parts of."""
    if isinstance(value, TupleValue):
        return value.items
    if isinstance(value, Sequence):
        return (value.element,)
    if isinstance(value, Union):
        return value.members
    return (*value.args, *(given for _, given in value.keywords)) if isinstance(value, Partial) else ()
