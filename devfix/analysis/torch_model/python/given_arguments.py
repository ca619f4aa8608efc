"""Given arguments: a parser that is handed a list that is written there instead of a command line, ``parse_args(["--device", "cpu"])``."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import FALSE, NONE, TRUE, Const, External, Obj, TupleValue, Value
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What a parser makes of the text that an option is given.
_KINDS: dict[Value, type[int | float | str]] = {
    NONE: str,
    External("builtins.str"): str,
    External("builtins.int"): int,
    External("builtins.float"): float,
}
#: What an option without a text of its own stores.
_SWITCHES: dict[Value, Value] = {Const("store_true"): TRUE, Const("store_false"): FALSE}
_STORES = (NONE, Const("store"))
#: What an option may be declared with that changes nothing about what it is when it is given.
_IDLE = frozenset(("default", "type", "help", "action", "dest", "required", "metavar", "choices"))


def with_option(obj: Obj, dest: str, site: CallSite) -> Obj:
    """A parser that remembers what each of an option's names stores, and where."""
    kind, action = site.value(None, "type") or NONE, site.value(None, "action") or NONE
    if site.open or site.keywords.keys() - _IDLE:
        kind = action = External("unknown")
    for arg in site.args:
        if isinstance(arg.value, Const) and str(arg.value.value).startswith("-"):
            obj = obj.with_fact(_fact(str(arg.value.value)), TupleValue((Const(dest), kind, action)))
    return obj


def of(interp: Interpreter, parser: Obj, given: Value) -> Mapping[str, Value]:
    """What the options are that a list names, as long as each of its items is understood."""
    items = iteration.exact_items(interp, given) or ()
    texts = [item.value for item in items if isinstance(item, Const) and isinstance(item.value, str)]
    found: dict[str, Value] = {}
    if len(texts) < len(items):
        return found
    while texts:
        name, equals, text = texts.pop(0).partition("=")
        declared = parser.facts.get(_fact(name))
        if not isinstance(declared, TupleValue):
            return found
        dest, kind, action = declared.items
        value = _SWITCHES.get(action)
        if value is None and action in _STORES and kind in _KINDS and (equals or texts):
            value = _converted(kind, text if equals else texts.pop(0))
        if value is None or not isinstance(dest, Const):
            return found
        found[str(dest.value)] = value
    return found


def _converted(kind: Value, text: str) -> Value | None:
    with contextlib.suppress(ValueError):
        value = _KINDS[kind](text)
        # What is not a number is not even the same as itself.
        return None if isinstance(value, float) and math.isnan(value) else Const(value)
    return None


def _fact(name: str) -> str:
    return f"option {name}"
