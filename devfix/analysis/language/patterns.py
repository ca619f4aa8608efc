"""Patterns: which cases of a ``match`` statement a value may meet, and what their names stand for there."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from devfix.analysis.domain import classes
from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.values import (
    TRUE,
    UNKNOWN,
    Class,
    Const,
    Obj,
    Ref,
    Sequence,
    TupleValue,
    Union,
    Unknown,
    Value,
    members,
)
from devfix.analysis.language import iteration
from devfix.analysis.language.attributes import get_attribute
from devfix.analysis.language.containers import get_item
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.python import instance_checks, mappings

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Whether a pattern matches; None where some runs have it.
Outcome = bool | None


def meets(interp: Interpreter, pattern: ast.pattern, value: Value) -> Outcome:
    """Whether a value matches a pattern; where it may, the pattern's names are bound."""
    return _MATCHERS[type(pattern)](interp, pattern, value)


def _all(outcomes: list[Outcome]) -> Outcome:
    return False if False in outcomes else None if None in outcomes else True


def _value(interp: Interpreter, pattern: ast.MatchValue, value: Value) -> Outcome:
    return _same(value, interp.eval(pattern.value))


def _same(value: Value, other: Value) -> Outcome:
    """Whether two values are equal, as far as they are constants."""
    if isinstance(value, Const) and isinstance(other, Const):
        return bool(value.value == other.value)  # a number is that of another type
    if isinstance(value, Union):
        found = {_same(member, other) for member in value.members}
        return found.pop() if len(found) == 1 else None
    kinds = {scalar_type(value), scalar_type(other)}
    alike = len(kinds) == 1 or kinds <= {"int", "float", "bool"}
    return None if isinstance(value, Unknown) or alike else False


def _singleton(interp: Interpreter, pattern: ast.MatchSingleton, value: Value) -> Outcome:
    kinds = {member == Const(pattern.value) for member in members(value)}
    if kinds == {True}:
        return True
    known = not any(isinstance(member, Unknown) or scalar_type(member) == "bool" for member in members(value))
    return False if known and kinds == {False} else None


def _bind(interp: Interpreter, name: str | None, value: Value) -> None:
    if name is not None:
        interp.state.set(interp.frame.id, name, value)


def _as(interp: Interpreter, pattern: ast.MatchAs, value: Value) -> Outcome:
    outcome = meets(interp, pattern.pattern, value) if pattern.pattern is not None else True
    _bind(interp, pattern.name, value)
    return outcome


def _or(interp: Interpreter, pattern: ast.MatchOr, value: Value) -> Outcome:
    outcomes = [meets(interp, part, value) for part in pattern.patterns]
    return True if True in outcomes else None if None in outcomes else False


def _sequence(interp: Interpreter, pattern: ast.MatchSequence, value: Value) -> Outcome:
    if not _may_be_sequence(interp, value):
        return False
    stars = [part for part in pattern.patterns if isinstance(part, ast.MatchStar)]
    items = iteration.exact_items(interp, value)
    if items is None:
        element = UNKNOWN if isinstance(value, Unknown) else iteration.element(interp, value, None)
        for part in pattern.patterns:
            if isinstance(part, ast.MatchStar):
                _bind(interp, part.name, interp.new(Obj("list", element=element)))
            elif meets(interp, part, element) is False:
                return False
        return None
    wanted = len(pattern.patterns) - len(stars)
    if len(items) < wanted or (not stars and len(items) > wanted):
        return False
    return _items(interp, pattern, items)


def _items(interp: Interpreter, pattern: ast.MatchSequence, items: tuple[Value, ...]) -> Outcome:
    outcomes: list[Outcome] = []
    rest = len(items) - len(pattern.patterns) + 1
    place = 0
    for part in pattern.patterns:
        if isinstance(part, ast.MatchStar):
            _bind(interp, part.name, interp.new(Obj("list", items=items[place : place + rest])))
            place += rest
        else:
            outcomes.append(meets(interp, part, items[place]))
            place += 1
    return _all(outcomes)


def _may_be_sequence(interp: Interpreter, value: Value) -> bool:
    obj = interp.obj_of(value)
    if obj is not None:
        return obj.kind == "list" or (obj.items is not None and obj.kind == "instance")
    return isinstance(value, (TupleValue, Sequence, Unknown, Union))


def _mapping(interp: Interpreter, pattern: ast.MatchMapping, value: Value) -> Outcome:
    obj = interp.obj_of(value)
    known = obj is not None and obj.kind == "dict"
    if not known and not isinstance(value, (Unknown, Union)):
        if obj is None or obj.kind != "instance" or not mappings.is_mapping(interp, obj):
            return False
    if obj is None or not isinstance(value, Ref) or not known:
        value, obj = interp.new(anything := Obj("dict", element=UNKNOWN)), anything
    return _entries(interp, pattern, value, obj)


def _entries(interp: Interpreter, pattern: ast.MatchMapping, value: Ref, obj: Obj) -> Outcome:
    outcomes: list[Outcome] = []
    left = dict(obj.attrs)
    for key_node, part in zip(pattern.keys, pattern.patterns, strict=True):
        key = interp.eval(key_node)
        known = iteration.dict_key(key)
        if obj.element is None and known is not None and known not in obj.attrs:
            return False
        outcomes += [True if known in obj.attrs else None, meets(interp, part, get_item(interp, value, key))]
        left.pop(known or "", None)
    if pattern.rest is not None:
        _bind(interp, pattern.rest, interp.new(Obj("dict", attrs=left, element=obj.element)))
    return _all(outcomes)


def _class(interp: Interpreter, pattern: ast.MatchClass, value: Value) -> Outcome:
    cls = interp.eval(pattern.cls)
    asked = CallSite(pattern.cls, (Arg(value), Arg(cls)))
    answer = instance_checks.isinstance_(interp, "builtins.isinstance", asked)
    kept = instance_checks.those(interp, value, cls, outcome=True) if isinstance(value, Union) else value
    if isinstance(answer, Const) and not answer.value:
        return False
    outcomes: list[Outcome] = [True if answer == TRUE else None]
    names = [*_positional(interp, cls, len(pattern.patterns)), *pattern.kwd_attrs]
    for name, part in zip(names, [*pattern.patterns, *pattern.kwd_patterns], strict=True):
        # ``case str(x)`` and ``case torch.Tensor()`` speak of the value as a whole.
        held = get_attribute(interp, kept, name, pattern.cls) if name else kept
        outcomes.append(meets(interp, part, held))
    return _all(outcomes)


def _positional(interp: Interpreter, cls: Value, number: int) -> list[str]:
    """The attributes that patterns without a name speak of."""
    found = _match_args(interp, cls) if isinstance(cls, Class) else []
    return [*found[:number], *[""] * (number - len(found))]


def _match_args(interp: Interpreter, cls: Class) -> list[str]:
    """The ``__match_args__`` of a class: what the first that has any writes there, or those that it has as a dataclass."""
    for each in classes.linearise(cls):
        told = iteration.exact_items(interp, interp.state.get(each.frame, "__match_args__") or UNKNOWN)
        if told is not None:
            return [
                item.value if isinstance(item, Const) and isinstance(item.value, str) else "" for item in told
            ]
        if classes.is_dataclass(each):
            break
    return [field.name for field in classes.fields(cls) if field.is_given]


def _star(interp: Interpreter, pattern: ast.MatchStar, value: Value) -> Outcome:
    return True


_MATCHERS: dict[type[ast.pattern], Callable[[Interpreter, Any, Value], Outcome]] = {
    ast.MatchValue: _value,
    ast.MatchSingleton: _singleton,
    ast.MatchAs: _as,
    ast.MatchOr: _or,
    ast.MatchSequence: _sequence,
    ast.MatchMapping: _mapping,
    ast.MatchClass: _class,
    ast.MatchStar: _star,
}
