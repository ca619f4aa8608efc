"""Iteration: the items of a collection where they are known, else a typical element."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from types import NoneType
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all, scalar_type
from devfix.analysis.domain.lattice import CPU
from devfix.analysis.domain.values import (
    ARGUMENT,
    COMMAND_LINE,
    NONE,
    UNKNOWN,
    Array,
    Class,
    Const,
    External,
    Function,
    Obj,
    Ref,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Union,
    Unknown,
    Value,
    members,
    option,
)
from devfix.analysis.language import enumerations, list_places, text_keys
from devfix.analysis.language.frames import Loop
from devfix.analysis.nn.modules import havoc, is_module

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Longer collections are summarised by one element; those of modules and names where they are longer than the second.
MAX_ITEMS, _MAX_APART = 32, 128
#: A slice; its bounds are not kept.
SLICE: External = External("builtins.slice")
#: An iterator over a collection.
ITERATOR: External = External("builtins.iterator")
#: The names under which it has the collection, how many items of it were taken, and what a generator returns at its end.
SOURCE, PLACE, RESULT = "#source", "#place", "#result"
#: Modules whose items are their names, as those of a dict are.
NAMED = frozenset({External("torch.nn.ModuleDict"), External("torch.nn.ParameterDict")})


def new_list(interp: Interpreter, items: tuple[Value, ...], node: ast.AST | None = None) -> Ref:
    """A list with these items on the heap."""
    trail = (interp.site("other", node),) if node is not None else ()
    if len(items) > MAX_ITEMS and (len(items) > _MAX_APART or not are_apart(interp, items)):
        return interp.new(Obj("list", element=typical(interp, items), trail=trail))
    return interp.new(Obj("list", items=items, trail=trail))


def typical(interp: Interpreter, items: tuple[Value, ...]) -> Value:
    """What items have in common; nobody sees what becomes of the modules that are not in it."""
    found = join_all(list(items), split=True)
    for item in items:
        if is_module(interp, item) and item not in members(found):
            havoc(interp, item)
    return found


def has_module(interp: Interpreter, items: tuple[Value, ...]) -> bool:
    """Whether one of the items is a module."""
    return any(is_module(interp, item) for item in items)


def are_apart(interp: Interpreter, items: tuple[Value, ...]) -> bool:
    """Whether all are modules or names, or pairs with one: entries of a dict, attributes, layers.

    Or pairs of a container and what it is to hold, as ``zip`` makes them.
    """
    return all(
        any(_is_apart(interp, part) or _is_container(interp, part) for part in item.items)
        if isinstance(item, TupleValue)
        else _is_apart(interp, item)
        for item in items
    )


def are_mixed(items: tuple[Value, ...]) -> bool:
    """Whether some are on the CPU and others on the accelerator, be they tensors or tuples that hold such in one place."""
    if all(isinstance(each, TupleValue) for each in items):
        parts = [each.items for each in items if isinstance(each, TupleValue)]
        return any(map(are_mixed, zip(*parts, strict=False)))
    tensors = [each for each in items if isinstance(each, Tensor)]
    there = any(each.device.is_accelerator for each in tensors)
    return any(each.is_parted or (there and each.device == CPU) for each in tensors)


def _is_apart(interp: Interpreter, value: Value) -> bool:
    return (isinstance(value, Const) and isinstance(value.value, str)) or is_module(interp, value)


def _is_container(interp: Interpreter, value: Value) -> bool:
    obj = interp.obj_of(value)
    return obj is not None and obj.kind in ("list", "dict")


def one_of_each_place(items: tuple[Value, ...]) -> list[Value]:
    """One of the tensors that were made in each place, the last one last, if those are several and else alike."""
    tensors = [item for item in items if isinstance(item, Tensor) and item.trail and item.device.is_known]
    if len(tensors) < len(items) or len({(tensor.device, tensor.dtype) for tensor in tensors}) != 1:
        return []
    found = {tensor.trail[0]: tensor for tensor in reversed(tensors)}
    return list(reversed(found.values())) if len(found) > 1 else []


def exact_items(interp: Interpreter, value: Value) -> tuple[Value, ...] | None:
    """The items of a collection in order, or None when they are not known one by one.

    From an iterator they are taken, and nobody knows how many of them: ``zip`` and a loop with a ``break`` leave some.
    """
    if isinstance(value, TupleValue):
        return value.items
    if isinstance(value, Union):
        rows = [exact_items(interp, member) for member in value.members]
        known = [row for row in rows if row is not None]
        if len(known) < len(rows) or len({len(row) for row in known}) > 1:
            return None
        columns = map(list, zip(*known, strict=True))
        return tuple([_of_either(column, split=interp.program.adopts) for column in columns])
    if isinstance(value, Class):
        return enumerations.all_of(interp, value)
    obj = interp.obj_of(value)
    if obj is None:
        return None
    if obj.kind == "dict" or obj.cls in NAMED:
        if obj.element is not None:
            return None
        return tuple(key_value(key) for key in obj.attrs)
    if obj.kind == "dataset":
        return None  # its items are the columns
    if obj.cls == ITERATOR:
        given = left(interp, value)
        lose_place(interp, value)
        return given
    if obj.items is None or obj.element is not None or "__iter__" in obj.attrs:
        return None
    if list_places.GROWN in obj.facts:
        return None
    own = classes.find(interp, obj.cls, "__iter__") if isinstance(obj.cls, Class) else None
    return obj.items if own is None else None


def has_grown(interp: Interpreter, value: Value) -> bool:
    """Whether a list, or one of several, has grown in a loop, and may have more items than are known."""
    objects = (interp.obj_of(member) for member in members(value))
    return any(obj is not None and list_places.GROWN in obj.facts for obj in objects)


def grown_items(interp: Interpreter, value: Value) -> tuple[Value, ...]:
    """The items of a list that grew in a loop, in order, as far as rounds were followed; none of anything else."""
    obj = interp.obj_of(value)
    if obj is None or list_places.GROWN not in obj.facts or obj.element is not None:
        return ()
    return obj.items or ()


def followed_items(interp: Interpreter, value: Value) -> tuple[Value, ...] | None:
    """The items of a collection in order; of a list that :func:`has_grown` those that are known."""
    return grown_items(interp, value) or exact_items(interp, value)


def left(interp: Interpreter, value: Value) -> tuple[Value, ...] | None:
    """The items that a collection has, or an iterator has still to give, which go on being there."""
    obj = interp.obj_of(value)
    if obj is None or obj.cls != ITERATOR:
        return exact_items(interp, value)
    items, place = exact_items(interp, obj.attrs[SOURCE]), obj.attrs[PLACE]
    if items is None or not isinstance(place, Const) or not isinstance(place.value, int):
        return None
    return items[place.value :]


@contextmanager
def rounds(interp: Interpreter, *, counted: bool, once: bool = True) -> Iterator[None]:
    """The block is executed once for each item, or if they are not ``counted`` ``once`` for all of them, or for some."""
    loops = interp.frame.loops
    loops.append(Loop(exact=counted, once=once and not counted))
    try:
        yield
    finally:
        loops.pop()


def is_executed_once(interp: Interpreter) -> bool:
    """Whether what is executed now stands for all rounds of a comprehension, say, of which nobody knows the number."""
    return any(loop.once for frame in interp.stack for loop in frame.loops)


def is_thrown_away(interp: Interpreter, node: ast.expr) -> bool:
    """Whether what would be computed item by item is all that a statement is: nobody asks for any of it, so nothing is."""
    statement = interp.frame.statement
    return isinstance(statement, ast.Expr) and statement.value is node


def lose_place(interp: Interpreter, value: Value) -> None:
    """Nobody knows any more how far an iterator has come, if it is one."""
    obj = interp.obj_of(value)
    if isinstance(value, Ref) and obj is not None and obj.cls == ITERATOR:
        interp.update(value, obj.with_attr(PLACE, Scalar("int")))


def fresh_items(interp: Interpreter, value: Value, node: ast.expr | None) -> tuple[Value, ...] | None:
    """The items of a collection in order, also of a generator that ``node`` has just made, so that nobody asked it before.

    A call that only hands on a generator, as ``iter(begun)`` does, need not give all of it.
    """
    items = exact_items(interp, value)
    if (
        items is not None
        or not isinstance(value, Sequence)
        or not isinstance(node, ast.Call)
        or not value.row
    ):
        return items
    return value.row if value.made == interp.site("result", node) else None


def unpacked(interp: Interpreter, value: Value) -> tuple[Value, ...] | None:
    """What ``a, b = value`` and ``f(*value)`` take out of it one by one, which an object or a generator gives them in turn.

    Of a list that :func:`has_grown` there may be more.
    """
    items = followed_items(interp, value)
    if items is not None:
        return items
    if isinstance(value, Tensor) and value.packed:
        return _packed_parts(value)
    obj = interp.obj_of(value)
    if obj is not None and obj.kind == "instance":
        value = _iterator_of(interp, value)
        items = exact_items(interp, value)
    return items if items is not None else getattr(value, "row", ()) or None


def _packed_parts(value: Tensor) -> tuple[Value, ...]:
    """What a ``PackedSequence`` is a tuple of: its data, the sizes of its batches on the host, and two orders, or None."""
    return replace(value, parameter=False, packed=False), Tensor(CPU, "int64", 1), UNKNOWN, UNKNOWN


def _iterator_of(interp: Interpreter, ref: Value) -> Value:
    """What the ``__iter__`` of an object of the project gives, where that is something else."""
    obj = interp.obj_of(ref)
    found = (
        classes.find(interp, obj.cls, "__iter__") if obj is not None and isinstance(obj.cls, Class) else None
    )
    if not isinstance(found, Function):
        return UNKNOWN
    iterator = interp.call_function(found, [ref], ast.Constant(None, lineno=1, col_offset=0))
    return iterator if iterator != ref else UNKNOWN


def is_row(interp: Interpreter, value: Value) -> bool:
    """Whether a value is a tuple or a list."""
    obj = interp.obj_of(value)
    return isinstance(value, TupleValue) or (obj is not None and obj.kind == "list")


def row_items(interp: Interpreter, value: Value) -> tuple[Value, ...] | None:
    """The items of a tuple or a list; None for anything else, and where they are not known one by one."""
    return exact_items(interp, value) if is_row(interp, value) else None


def element(interp: Interpreter, value: Value, node: ast.expr | None) -> Value:
    """What a loop variable stands for when iterating over ``value``."""
    items = exact_items(interp, value)
    if items is not None:
        return join_all(list(items), split=True) if items else UNKNOWN
    if isinstance(value, Sequence):
        return value.element
    if isinstance(value, Union):
        found = [element(interp, member, node) for member in value.members]
        return _of_either(found, split=interp.program.adopts)
    if isinstance(value, (Tensor, Array)):
        return row(value)
    if isinstance(value, Const) and isinstance(value.value, str):
        return Scalar("str")
    if value == COMMAND_LINE:
        return option(ARGUMENT)
    obj = interp.obj_of(value)
    if obj is not None and obj.cls == ITERATOR:  # one of them, and nobody knows which
        held = exact_items(interp, obj.attrs[SOURCE])
        return join_all(list(held or ()))
    return UNKNOWN if obj is None else interp.element_of_object(value, obj, node)


def _of_either(found: list[Value], *, split: bool) -> Value:
    """What one of several collections holds; where nobody knows it of one, the others are what some run has.

    It is one of them, so what another would hold is not beside it.
    """
    return join_all([each for each in found if not isinstance(each, Unknown)] or found, split=split)


def known_slice(interp: Interpreter, node: ast.Slice) -> slice | None:
    """The Python slice that a slice expression stands for; None when a bound is not known."""
    bounds = [interp.eval(part) if part is not None else NONE for part in (node.lower, node.upper, node.step)]
    plain = [
        bound.value
        for bound in bounds
        if isinstance(bound, Const) and isinstance(bound.value, (int, NoneType))
    ]
    return slice(*plain) if len(plain) == len(bounds) and plain[2] != 0 else None


def may_have_item(interp: Interpreter, value: Value, key: Value) -> bool:
    """Whether a collection may be long enough to have an item of this number; lists and tuples have none of several.

    Numbers have none at all, nor has a dict that nothing was put into.
    """
    if scalar_type(value) in ("int", "float", "bool"):
        return False
    obj = interp.obj_of(value)
    if isinstance(key, TupleValue) and is_row(interp, value):
        return False
    if obj is not None and obj.kind == "dict" and not (obj.attrs or obj.element or obj.facts):
        return False
    items = exact_items(interp, value) if obj is None or obj.kind == "list" else None
    if items is None or not isinstance(key, Const) or not isinstance(key.value, int):
        return True
    return -len(items) <= key.value < len(items)


def row(value: Tensor | Array) -> Tensor | Array:
    """One entry along the first dimension."""
    rank = value.rank - 1 if value.rank is not None and value.rank > 0 else None
    if isinstance(value, Tensor):
        return replace(value, rank=rank, parameter=False, leaf=None)
    return replace(value, rank=rank)


def dict_key(key: Value) -> str | None:
    """The attribute name under which a dict's object keeps the entry of a constant key, or of a tuple of such."""
    if not isinstance(key, Const):
        return text_keys.name_of_tuple(key) if isinstance(key, TupleValue) else None
    return key.value if isinstance(key.value, str) else f"#{key.value!r}"


def key_value(key: str) -> Value:
    """The key that :func:`dict_key` turned into ``key``."""
    unnamed = text_keys.unnamed_key(key)
    if unnamed is not None:
        return unnamed
    if key.startswith("#"):
        try:
            told = ast.literal_eval(key[1:])
        except (ValueError, SyntaxError):
            return UNKNOWN
        return TupleValue(tuple(map(Const, told))) if isinstance(told, tuple) else Const(told)
    return Const(key)
