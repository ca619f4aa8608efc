"""Lookups: tests of whether a dict has something under a key that changes; some find there what others left, and some miss it.

``state = parked.pop(key, None)``, and where that is None a new one, or ``parked[key] if key in parked else new``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import UNKNOWN_DEVICE, parse_device
from devfix.analysis.domain.state import State
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Const,
    DeviceValue,
    Ref,
    Tensor,
    TupleValue,
    Value,
    members,
)
from devfix.analysis.language import containers
from devfix.analysis.text.scope_names import parameters_of, targets
from devfix.analysis.text.syntax import called, in_rows, names_in, remembered, spelt, statements_in, walk

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_Choice = ast.If | ast.IfExp


def may_miss(interp: Interpreter, node: _Choice, before: State) -> bool:
    """Whether a test asks if there was a tensor under a key that changes, and that says nothing of devices."""
    function = interp.frame.function
    if function is None:
        return False
    asked = _asked_for_none(node.test)
    if asked is not None:
        keys = _looked_up(function.node).get(asked.id)
        held = members(before.get(interp.frame.id, asked.id) or UNKNOWN)
        kept = keys is not None and NONE in held and _is_kept(held)
        return kept and not any(_tells_device(interp, function.node, key) for key in keys or ())
    found = _asked_for_key(node)
    obj = interp.obj_of(interp.eval(found.comparators[0])) if found is not None else None
    if found is None or obj is None or obj.kind != "dict" or not _is_kept(containers.everything(obj)):
        return False
    return not _may_tell_device(function.node, found.left) and not _tells_device(
        interp, function.node, found.left
    )


def _is_kept(held: Iterable[Value]) -> bool:
    return any(isinstance(each, (Tensor, TupleValue)) for each in held)


def _asked_for_none(test: ast.expr) -> ast.Name | None:
    """The name of which a test asks whether it is None."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    elif isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.IsNot)):
        other = test.comparators[0]
        test = test.left if isinstance(other, ast.Constant) and other.value is None else other
    return test if isinstance(test, ast.Name) else None


@remembered
def _asked_for_key(node: _Choice) -> ast.Compare | None:
    """The test of ``d[key] if key in d else made``, where the key is none that is written there."""
    test = node.test
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or isinstance(test.left, ast.Constant):
        return None
    if not isinstance(test.ops[0], (ast.In, ast.NotIn)):
        return None
    owner, key = spelt(test.comparators[0]), ast.dump(test.left)
    branches = (node.body, node.orelse)
    found = branches[isinstance(test.ops[0], ast.NotIn)]
    parts = [part for each in (found if isinstance(found, list) else [found]) for part in walk(each)]
    taken = any(_takes(part, owner, key) for part in parts)
    return test if owner and taken and all(branches) else None


def _takes(part: ast.AST, owner: str | None, key: str) -> bool:
    """Whether a piece of code is ``owner[key]`` or ``owner.pop(key)``."""
    if isinstance(part, ast.Subscript):
        return isinstance(part.ctx, ast.Load) and spelt(part.value) == owner and ast.dump(part.slice) == key
    if not isinstance(part, ast.Call) or not isinstance(part.func, ast.Attribute) or not part.args:
        return False
    return (
        part.func.attr in ("pop", "get") and spelt(part.func.value) == owner and ast.dump(part.args[0]) == key
    )


@remembered
def _looked_up(function: ast.AST) -> Mapping[str, list[ast.expr]]:
    """The names that a function binds to what ``x.get(key)`` gives, or to what it makes where that is nothing, with the keys."""
    bound: dict[str, list[ast.expr | None]] = {}
    instead = _bound_instead(function)
    for part in statements_in(function):
        if not isinstance(part, (ast.Assign, ast.AnnAssign)) or part.value is None:
            continue
        for target in part.targets if isinstance(part, ast.Assign) else (part.target,):
            if isinstance(target, ast.Name) and (target.id, part) not in instead:
                bound.setdefault(target.id, []).append(_key_of(function, part.value))
    return {name: [key for key in keys if key is not None] for name, keys in bound.items() if all(keys)}


def _bound_instead(function: ast.AST) -> set[tuple[str, ast.stmt]]:
    """What a function binds by a test of whether a name was None: ``if x is None: x = made``, ``x = made if x is None else x``."""
    found: set[tuple[str, ast.stmt]] = set()
    for part in statements_in(function):
        inner: list[ast.stmt] = []
        asked = None
        if isinstance(part, ast.If):
            asked = _asked_for_none(part.test)
            inner = [each for each in statements_in(part) if isinstance(each, ast.Assign)]
        elif isinstance(part, ast.Assign) and isinstance(part.value, ast.IfExp):
            asked, inner = _asked_for_none(part.value.test), [part]
        if asked is not None:
            found.update((asked.id, each) for each in inner)
    return found


def _key_of(function: ast.AST, value: ast.expr) -> ast.expr | None:
    """The key of ``x.get(key)``, or of ``x.pop(key, None)``, which takes it out as well; None where it may tell a device."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute) or not value.args:
        return None
    key, *default = value.args
    if isinstance(key, ast.Constant) or any(getattr(each, "value", "") is not None for each in default):
        return None
    if value.func.attr != "get" and (value.func.attr != "pop" or not default):
        return None
    return None if _may_tell_device(function, key) else key


#: What makes a number or a text of a tensor says nothing of where that is.
_READING = frozenset({"int", "float", "bool", "str", "len"})


def _tells_device(interp: Interpreter, function: ast.AST, key: ast.expr) -> bool:
    """Whether a key is made of a device, or by a call that is given a tensor or an object, and may ask that for its device."""
    for made in _made_of(function, key):
        for part in walk(made):
            if isinstance(part, (ast.Name, ast.Attribute)) and _names_device(_value_of(interp, part)):
                return True
            if isinstance(part, ast.Call) and called(part) not in _READING:
                given = (_value_of(interp, each) for each in part.args if isinstance(each, ast.Name))
                if any(isinstance(each, (Tensor, Ref)) for each in given):
                    return True
    return False


def _value_of(interp: Interpreter, part: ast.Name | ast.Attribute) -> Value:
    """What a name of the function, or an attribute of what one stands for, is."""
    name = part if isinstance(part, ast.Name) else part.value
    known = interp.state.get(interp.frame.id, name.id) if isinstance(name, ast.Name) else None
    return UNKNOWN if known is None else interp.eval(part)


def _names_device(value: Value) -> bool:
    return any(
        isinstance(each, DeviceValue)
        or (
            isinstance(each, Const)
            and isinstance(each.value, str)
            and parse_device(each.value) != UNKNOWN_DEVICE
        )
        for each in members(value)
    )


def _made_of(function: ast.AST, key: ast.expr) -> list[ast.expr]:
    """What a key is made of: an expression, and what the function binds the names to that are in it."""
    bound: dict[str, list[ast.expr]] = {}
    for part in statements_in(function):
        if isinstance(part, ast.Assign):
            for name in set().union(*map(targets, part.targets)):
                bound.setdefault(name, []).append(part.value)
    found, pending, seen = [key], set(names_in(key)), set[str]()
    while pending:
        seen |= pending
        made = [value for name in pending for value in bound.get(name, ())]
        found += made
        pending = set().union(*map(names_in, made)) - seen
    return found


def _may_tell_device(function: ast.AST, key: ast.expr) -> bool:
    """Whether a key may say on which device is what is kept under it: other keys are for other devices then."""
    words = set().union(*map(names_in, _made_of(function, key)))
    if any("device" in word for word in words):
        return True
    given = {each.arg for each in parameters_of(function)}
    return not words.isdisjoint(given) and _is_told_device(function, given)


def _is_told_device(function: ast.AST, given: Iterable[str]) -> bool:
    """Whether a function is given a device, or asks for that of what it is given."""
    if any("device" in name for name in given):
        return True
    asked = (
        part.value for part in in_rows(function) if isinstance(part, ast.Attribute) and part.attr == "device"
    )
    return any(getattr(owner, "id", "") != "self" for owner in asked)
