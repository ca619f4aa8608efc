"""Keyed caches: ``if key not in cache: cache[key] = made``, under keys that tell sizes and no device.

What a caller finds there was made by itself or by another one, on the device of that one: in one run it meets both.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import CPU
from devfix.analysis.domain.values import Class, Const, Ref, Scalar, Sequence, Tensor, TupleValue, Value
from devfix.analysis.language import containers
from devfix.analysis.text.scope_names import parameters_of
from devfix.analysis.text.syntax import in_rows, remembered, spelt, statements_in

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_DEVICE_NUMBERS = frozenset({"get_device", "current_device"})
_NUMBERS = ("int", "float")


class Filling(NamedTuple):
    """The expressions for a cache and for the key under which a statement fills it."""

    cache: ast.expr
    key: ast.expr


def begins_empty(interp: Interpreter, node: ast.If) -> bool:
    """Whether a statement fills a cache that has what was made on the CPU; where it does, nothing else is in there yet."""
    found = filling(node)
    if found is None:
        return False
    ref = interp.eval(found.cache)
    obj = interp.obj_of(ref)
    if not isinstance(ref, Ref) or obj is None or obj.kind != "dict" or isinstance(obj.cls, Class):
        return False
    held = containers.everything(obj)
    if not held or not all(map(_is_on_cpu, held)):
        return False
    function = interp.frame.function
    if function is not None and _asks_for_device(function.node):
        return False
    key = interp.eval(found.key)
    if not _is_of_numbers(key) or (not isinstance(key, Scalar) and _is_given(interp, found.key)):
        return False
    interp.update(ref, replace(obj, attrs={}, items=None, element=None))
    return True


@remembered
def filling(node: ast.If) -> Filling | None:
    """The cache that a statement fills under a key which is not in it yet, and the key."""
    test = node.test
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.NotIn):
        return None
    cache, key = test.comparators[0], test.left
    if not isinstance(cache, (ast.Name, ast.Attribute)) or node.orelse:
        return None
    for part in (inner for statement in node.body for inner in statements_in(statement)):
        for target in part.targets if isinstance(part, ast.Assign) else ():
            if isinstance(target, ast.Subscript) and spelt(target.value) == spelt(cache):
                return Filling(cache, key) if ast.dump(target.slice) == ast.dump(key) else None
    return None


@remembered
def looked_up(node: ast.If) -> ast.expr | None:
    """The dict of which a name was found to be nothing, and that a statement fills: ``if held is None: held = cache[key] = made``."""
    test = node.test
    if not isinstance(test, ast.Compare) or not isinstance(test.left, ast.Name) or not _is_nothing(test):
        return None
    assigned = [target for part in node.body if isinstance(part, ast.Assign) for target in part.targets]
    caches = [each.value for each in assigned if isinstance(each, ast.Subscript)]
    named = any(isinstance(each, ast.Name) and each.id == test.left.id for each in assigned)
    return caches[0] if named and caches and isinstance(caches[0], (ast.Name, ast.Attribute)) else None


def _is_nothing(test: ast.Compare) -> bool:
    """Whether a comparison is one with None."""
    [operator, *further], other = test.ops, test.comparators[0]
    return (
        not further
        and isinstance(operator, ast.Is)
        and isinstance(other, ast.Constant)
        and other.value is None
    )


@remembered
def _asks_for_device(function: ast.AST) -> bool:
    """Whether a function asks for the number of a device, which may be a part of a key."""
    asked = (node for node in in_rows(function) if isinstance(node, ast.Attribute))
    return any(
        node.attr in _DEVICE_NUMBERS or (node.attr == "index" and getattr(node.value, "attr", "") == "device")
        for node in asked
    )


def _is_on_cpu(value: Value) -> bool:
    """Whether a value is a tensor on the CPU, or a tuple of such, as the sines and cosines of positions are."""
    if isinstance(value, TupleValue):
        return bool(value.items) and all(map(_is_on_cpu, value.items))
    return isinstance(value, Tensor) and value.device == CPU


def _is_given(interp: Interpreter, key: ast.expr) -> bool:
    """Whether a key is a parameter: who calls knows what it is made of."""
    function = interp.frame.function
    if function is None or not isinstance(key, ast.Name):
        return False
    return key.id in {each.arg for each in parameters_of(function.node)}


def _is_of_numbers(key: Value) -> bool:
    """Whether a key is a number, or are several, and so says nothing of a device."""
    if isinstance(key, TupleValue):
        return bool(key.items) and all(map(_is_of_numbers, key.items))
    if isinstance(key, Sequence):
        return _is_of_numbers(key.element)
    if isinstance(key, Const):
        return isinstance(key.value, (int, float)) and not isinstance(key.value, bool)
    return isinstance(key, Scalar) and key.type in _NUMBERS
