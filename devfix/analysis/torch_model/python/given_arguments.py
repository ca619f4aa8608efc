"""Given arguments: a parser that is handed a list that is written there instead of a command line, ``parse_args(["--device", "cpu"])``."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Const,
    External,
    Obj,
    Scalar,
    TupleValue,
    Value,
)
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
#: The action of an option that is turned off by another name of its own, ``--no-bias``.
_EITHER_WAY = External("argparse.BooleanOptionalAction")
#: What an option may be declared with that changes nothing about what it is when it is given.
_IDLE = frozenset(("default", "type", "help", "action", "dest", "required", "metavar", "choices"))
_OPTION = "option "


def with_option(obj: Obj, dest: str, site: CallSite) -> Obj:
    """A parser that remembers what each of an option's names stores, and where."""
    kind, action = site.value(None, "type") or NONE, site.value(None, "action") or NONE
    if site.open or site.keywords.keys() - _IDLE:
        kind = action = External("unknown")
    for arg in site.args:
        name = _word(arg.value)
        if name.startswith("-"):
            on = Const("store_true") if action == _EITHER_WAY else action
            obj = obj.with_fact(_OPTION + name, TupleValue((Const(dest), kind, on)))
        if name.startswith("--") and action == _EITHER_WAY:
            off = TupleValue((Const(dest), kind, Const("store_false")))
            obj = obj.with_fact(f"{_OPTION}--no-{name[2:]}", off)
    return obj


def options_of(parser: Obj) -> dict[str, Value]:
    """The options that a parser remembers, as those of its children remember them as well."""
    return {name: told for name, told in parser.facts.items() if name.startswith(_OPTION)}


def of(interp: Interpreter, parser: Obj, commands: Sequence[Obj], given: Value) -> Mapping[str, Value]:
    """What the options are that a list names; unknown are those that it may name behind what is understood of it.

    What is behind the name of a subcommand is for one of ``commands``, which sets all of its own options.
    """
    left = [*(iteration.exact_items(interp, given) or ())]
    found: dict[str, Value] = {}
    while left and (taken := _taken(parser, left)) is not None:
        dest, value, count = taken
        found[dest] = value
        left = left[count:]
    if left:
        own = {dest for command in commands for _, dest in _names(command)}
        named = {dest for each in (parser, *commands) for name, dest in _names(each) if _may_name(left, name)}
        found.update(dict.fromkeys(named | (own & found.keys()), UNKNOWN))
    return found


def _taken(parser: Obj, left: Sequence[Value]) -> tuple[str, Value, int] | None:
    """What the first words of a list set, to what, and how many they are; None where that is not understood."""
    name, equals, text = _word(left[0]).partition("=")
    declared = parser.facts.get(_OPTION + name)
    if not isinstance(declared, TupleValue):
        return None
    dest, kind, action = declared.items
    value, count = _SWITCHES.get(action), 1
    if value is None and action in _STORES and kind in _KINDS:
        count = 1 if equals else 2
        value = _converted(kind, Const(text) if equals else (*left, UNKNOWN)[1])
    return (str(dest.value), value, count) if value is not None and isinstance(dest, Const) else None


def _converted(kind: Value, given: Value) -> Value | None:
    """What an option of a type makes of a word; None where that is not known, or is not even the same as itself."""
    made = _KINDS[kind]
    if not isinstance(given, Const) or not isinstance(given.value, str):
        return Scalar(made.__name__) if made is not str else given if scalar_type(given) == "str" else None
    with contextlib.suppress(ValueError):
        value = made(given.value)
        return None if isinstance(value, float) and math.isnan(value) else Const(value)
    return None


def _names(parser: Obj) -> Iterator[tuple[str, str]]:
    """The names of a parser's options, and what each of them sets."""
    for name, told in options_of(parser).items():
        dest = told.items[0] if isinstance(told, TupleValue) else None
        if isinstance(dest, Const):
            yield name.removeprefix(_OPTION), str(dest.value)


def _may_name(words: Sequence[Value], name: str) -> bool:
    """Whether some of the words may stand for an option: by the beginning of its name, or among other letters."""
    begun = [word.ends[0] if isinstance(word, Scalar) else _word(word) for word in words]
    texts = [text for text in begun if text.startswith("-")]
    if name.startswith("--"):
        return any(name.startswith(text.partition("=")[0]) for text in texts)
    return any(
        text.startswith(name) or (text[1] != "-" and name[1:] in text) for text in texts if text != "-"
    )


def _word(value: Value) -> str:
    """A word of a list; "" where it is not known."""
    return value.value if isinstance(value, Const) and isinstance(value.value, str) else ""
