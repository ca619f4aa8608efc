"""``operator``'s getters: functions that ask their argument for items, for attributes or for a method."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import UNKNOWN, Const, External, Partial, TupleValue, Value
from devfix.analysis.language import unknown_code
from devfix.analysis.language.frames import CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What the getters return: names of no function that a program could import.
_ITEMS, _ATTRIBUTES, _METHOD = "<operator.itemgetter>", "<operator.attrgetter>", "<operator.methodcaller>"


def made(what: str) -> Callable[[Interpreter, str, CallSite], Value]:
    """A handler of ``itemgetter("x", "y")``: a function that knows what to ask for."""

    def handle(interp: Interpreter, name: str, site: CallSite) -> Value:
        if site.open or not site.args:
            return UNKNOWN
        asked = TupleValue(tuple(arg.value for arg in site.args))
        return Partial(
            External(what), (asked,), tuple((key, arg.value) for key, arg in site.keywords.items())
        )

    return handle


def _asked(site: CallSite) -> tuple[Value, ...]:
    asked = site.value(0)
    return asked.items if isinstance(asked, TupleValue) else ()


def _answer(found: list[Value]) -> Value:
    """One thing by itself, several as a tuple."""
    return found[0] if len(found) == 1 else TupleValue(tuple(found))


def items(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``itemgetter("x")(batch)``."""
    value = site.value(1) or UNKNOWN
    place = ast.copy_location(ast.Subscript(site.node, ast.Constant(None), ast.Load()), site.node)
    return _answer([interp.item(place, value, key) for key in _asked(site)])


def named(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``attrgetter("encoder.weight")(model)``."""
    found: list[Value] = []
    for asked in _asked(site):
        value = site.value(1) or UNKNOWN
        path = str(asked.value).split(".") if isinstance(asked, Const) else [""]
        for part in path:
            value = interp.attribute(value, part, site.node) if part else UNKNOWN
        found.append(value)
    return _answer(found)


def method(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``methodcaller("to", device)(x)``."""
    called, *rest = _asked(site)
    if not isinstance(called, Const):
        return unknown_code.call(interp, site)
    found = interp.attribute(site.value(1) or UNKNOWN, str(called.value), site.node)
    given = Partial(found, tuple(rest), ())
    return interp.call(given, replace(site, args=()))


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "operator.itemgetter": made(_ITEMS),
    "operator.attrgetter": made(_ATTRIBUTES),
    "operator.methodcaller": made(_METHOD),
    _ITEMS: items,
    _ATTRIBUTES: named,
    _METHOD: method,
}
