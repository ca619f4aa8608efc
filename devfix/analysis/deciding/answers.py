"""Answers: what is known of how a value counts in a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    Array,
    Class,
    Const,
    DeviceValue,
    DTypeValue,
    External,
    Function,
    Namespace,
    Ref,
    Scalar,
    Tensor,
    TupleValue,
    Union,
    Value,
    is_option,
    members,
    usual_value,
)
from devfix.analysis.language import enumerations, truths
from devfix.analysis.torch_model.libraries import transform_classes

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def truth(interp: Interpreter, value: Value) -> bool | None:
    """Whether a value counts as true; None when that is not known."""
    if isinstance(value, Const):
        return bool(value.value)
    if isinstance(value, Scalar):
        return True if any(value.ends) else None
    if isinstance(value, TupleValue):
        return bool(value.items)
    if isinstance(value, Union):
        found = {truth(interp, member) for member in value.members}
        return found.pop() if len(found) == 1 else None
    if isinstance(value, (DeviceValue, DTypeValue, Function, Class, External, Namespace)):
        return True
    obj = interp.obj_of(value)
    if obj is not None:
        if obj.kind == "module" or truths.is_certain(interp, obj):
            return True
        if obj.kind == "list" and obj.items is not None and obj.element is None:
            return bool(obj.items)
        if obj.kind == "dict" and obj.element is None and obj.attrs:
            return True
        if obj.kind == "external":
            return True if transform_classes.is_one(obj) else None  # none of them has a length
    return None


def boolean(answer: bool | None) -> Value:
    """The abstract bool for a known answer, or an unknown bool."""
    return Scalar("bool") if answer is None else (TRUE if answer else FALSE)


def usual_option(value: Value) -> Const | None:
    """What an option is in a run that is given none, or a value that is known anyway."""
    if isinstance(value, Union) and NONE in value.members and any(map(is_option, value.members)):
        return NONE  # an option without a default
    return usual_value(value)


def compare_identity(interp: Interpreter, left: Value, right: Value) -> bool | None:
    """``left is right``, mostly asked of None; there is one object for each dtype."""
    if NONE in (right, left):
        other = left if right == NONE else right
        kinds = {member == NONE for member in members(other)}
        if len(kinds) != 1:
            return None
        if kinds == {True}:
            return True
        return None if not _is_certainly_something(other) else False
    if isinstance(left, Const) and isinstance(right, Const):
        return left == right
    if isinstance(left, DTypeValue) and isinstance(right, DTypeValue):
        return None if None in (left.name, right.name) else left.name == right.name
    if isinstance(left, Ref) and isinstance(right, Ref):
        return True if left == right else False if enumerations.is_member(interp, right) else None
    return None


def _is_certainly_something(value: Value) -> bool:
    kinds = (Tensor, Array, Ref, Const, TupleValue, DeviceValue, DTypeValue, Scalar)
    return all(isinstance(member, (*kinds, External, Function, Class)) for member in members(value))
