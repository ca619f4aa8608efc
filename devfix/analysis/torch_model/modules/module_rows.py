"""Rows of modules: lists, tuples and dicts of modules in a plain list or dict, which no ``ModuleList`` takes as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import UNKNOWN, Const, Obj, Ref, Scalar, TupleValue, Value, members
from devfix.analysis.language import object_keys
from devfix.analysis.language.containers import everything
from devfix.analysis.language.iteration import key_value
from devfix.analysis.nn.modules import is_module
from devfix.analysis.torch_model.modules import part_names

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What is said of a container that holds modules and rows of them, or rows of other things as well.
MIXED = "mixed"


def in_tuples(values: Iterable[Value]) -> Iterator[Value]:
    """What a container holds, and what the tuples among that hold, where those are modules alone."""
    for value in values:
        yield from value.items if isinstance(value, TupleValue) else (value,)


def is_row(interp: Interpreter, value: Value) -> bool:
    """Whether a value is a tuple of modules and nothing else."""
    return (
        isinstance(value, TupleValue)
        and bool(value.items)
        and all(is_module(interp, each) for each in value.items)
    )


def described(interp: Interpreter, container: Obj) -> dict[str, str]:
    """What keeps a plain list or dict of modules from being registered as it is.

    ``rows`` are the containers that it holds them in: "list", "dict", or several kinds. ``keys`` of dicts are "names" where
    all are known and may be names of parts, "others" where some may not.
    """
    held = [each for value in everything(container) for each in members(value)]
    kinds = {_kind(interp, each) for each in held}
    rows = kinds.pop() if len(kinds) == 1 else MIXED
    dicts = [obj for obj in (container, *map(interp.obj_of, held)) if obj is not None and obj.kind == "dict"]
    found = {"rows": rows} if rows else {}
    fit = {_is_fit(key) for obj in dicts for key in _keys(obj)}
    if False in fit:
        return found | {"keys": "others"}
    return found | {"keys": "names"} if fit == {True} else found


def _keys(obj: Obj) -> Iterator[Value]:
    """The keys of a dict; one that is not known stands for those that are not."""
    yield from map(key_value, obj.attrs)
    if obj.element is not None:
        yield object_keys.of(obj)


def _is_fit(key: Value) -> bool | None:
    """Whether a key may be the name of a part; None where nobody knows."""
    if isinstance(key, Const):
        return part_names.is_fit(key.value)
    return None if key == UNKNOWN or isinstance(key, Scalar) else False


def _kind(interp: Interpreter, value: Value) -> str:
    if is_row(interp, value):
        return "list"
    row = interp.obj_of(value)
    if row is None or row.kind not in ("list", "dict"):
        return ""
    held = [each for item in everything(row) for each in members(item)]
    return row.kind if all(isinstance(each, Ref) and is_module(interp, each) for each in held) else MIXED
