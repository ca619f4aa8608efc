"""Lists, dicts and sets on the heap: items read, written and added."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from devfix.analysis.assumptions import device_keys
from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import (
    TAKEN,
    any_one,
    join_all,
    join_elements,
    join_values,
    scalar_type,
    tuple_elements,
    usually,
)
from devfix.analysis.domain.values import (
    TRUE,
    UNKNOWN,
    Class,
    Const,
    DTypeValue,
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
)
from devfix.analysis.language import (
    cached_properties,
    given_namespaces,
    iteration,
    list_places,
    object_keys,
    text_keys,
)
from devfix.analysis.language.frames import CallSite
from devfix.analysis.language.given_namespaces import ENTRIES, NAMESPACE_OF
from devfix.analysis.language.iteration import MAX_ITEMS, dict_key

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


#: Of more functions or classes than this the usual one stands for all.
_MANY = 4
#: Of more objects than this nothing is known where a number is among them.
_MOST_OBJECTS = 32
#: What is put together of known items is known item by item up to here.
MOST_ITEMS = 256
#: The facts of a dict that say which module has these submodules, these parameters or these buffers.
PARTS_OF: str = "parts of"
PARAMETERS_OF: str = "parameters of"
BUFFERS_OF: str = "buffers of"
#: The fact of a list that it was made as ``[x] * n`` or ``[f() for _ in range(n)]``, to be filled entry by entry.
REPEATED = "repeated"
#: That fact where ``x`` holds nothing: only what takes its place is read.
PLACEHOLDER = Const("placeholder")
#: How a call begins that makes a tensor of whatever is in memory.
_EMPTY = re.compile(r"(torch|th)\.empty\b")


def get_item(interp: Interpreter, ref: Ref, key: Value) -> Value:
    """``container[key]`` for a list, a dict or a container module."""
    obj = interp.obj(ref)
    if obj.kind == "dict":
        return device_keys.found(obj, key, _dict_item(obj, key))
    if obj.items is not None:
        if isinstance(key, Const) and isinstance(key.value, int) and list_places.UNORDERED not in obj.facts:
            if obj.element is not None and key.value < 0:
                return join_elements(everything(obj))  # nobody knows where the list ends
            return list_places.item(obj, key.value) or obj.element or UNKNOWN
        return join_all(everything(obj))
    if obj.element is None:
        return UNKNOWN
    # Of what loops ask for by numbers that nobody knows each is some round's.
    return any_one(obj.element) if isinstance(key, Const) else obj.element


def _dict_item(obj: Obj, key: Value) -> Value:
    name = dict_key(key)
    if name is not None:
        found = obj.attrs.get(name)
        return found if found is not None else _unnamed(obj, name)
    if (kept := object_keys.entry(obj, key)) is not None:
        return kept
    values = _meant(obj, key)
    if isinstance(key, Scalar) and values and all(isinstance(value, DTypeValue) for value in values):
        # A table of dtypes is asked for the one that an option names.
        return obj.attrs.get(str(key.usual), join_all(values))
    found = join_all(values)
    if "__name__" in obj.attrs and str(getattr(key, "usual", "")) not in obj.attrs:
        return _function_of_file(obj)
    many = isinstance(found, Union) and len(found.members) > _MANY and _are_makers(found.members)
    if (found == UNKNOWN or many) and isinstance(key, Scalar) and isinstance(key.usual, str):
        # Out of many an option takes one; what it is when nobody says otherwise is as good as any.
        return obj.attrs.get(key.usual, UNKNOWN)
    if found == UNKNOWN and (column := _column(values)) is not None:
        return column
    several = tuple(dict.fromkeys(values))
    if found == UNKNOWN and len(several) > 1 and _are_makers(several):
        found = Union(several)
    if found == UNKNOWN and len(values) <= _MOST_OBJECTS:
        found = _object_or_number(values)
    if isinstance(found, Union) and isinstance(key, Scalar) and isinstance(key.usual, str):
        return usually(found, obj.attrs.get(key.usual, UNKNOWN))
    return found


def _are_makers(values: tuple[Value, ...]) -> bool:
    return all(isinstance(value, (Function, Class)) for value in values)


def _object_or_number(values: list[Value]) -> Value:
    """One of several objects, or a number that is an entry beside them: what is done with it tells which."""
    found = tuple(dict.fromkeys(member for value in values for member in members(value)))
    objects = [value for value in found if isinstance(value, Ref)]
    numbers = [value for value in found if scalar_type(value) in ("int", "float", "bool")]
    apart = objects and numbers and len(objects) + len(numbers) == len(found)
    return Union((*objects, *numbers)) if apart else UNKNOWN


def _column(values: list[Value]) -> Value | None:
    """One of the columns of a batch, of which some are known: tensors that lie on one device."""
    known = [value for value in values if isinstance(value, Tensor)]
    if len(known) < 2 or len({value.device for value in known}) > 1:
        return None
    if any(not isinstance(value, (Tensor, Unknown)) for value in values):
        return None
    column = join_all([*known])
    return replace(column, dtype=None, typed=()) if isinstance(column, Tensor) else None


def _function_of_file(obj: Obj) -> Value:
    """What the namespace of a file holds under a name that nobody knows: one of its functions, or else its classes."""
    public = [value for name, value in obj.attrs.items() if not name.startswith("_")]
    found: tuple[Value, ...] = tuple(dict.fromkeys(each for each in public if isinstance(each, Function)))
    found = found or tuple(dict.fromkeys(each for each in public if isinstance(each, Class)))
    return found[0] if len(found) == 1 else Union(found) if found else UNKNOWN


def lacks(interp: Interpreter, obj: Obj, name: str) -> bool:
    """Whether a dict certainly has nothing under the key that has this name."""
    if name in obj.attrs or text_keys.has_unknown(obj.attrs):
        return False
    return obj.element is None or given_namespaces.lacks(interp, obj, name)


def _unnamed(obj: Obj, name: str) -> Value:
    """The entry of a dict that was not written under its name, but maybe under a text that was put together."""
    if not text_keys.has_patterns(obj.attrs):
        return obj.element if obj.element is not None else UNKNOWN
    return join_all([value for entry, value in obj.attrs.items() if text_keys.is_met_by(entry, name)])


def _meant(obj: Obj, key: Value) -> list[Value]:
    """All values of a dict that may stand under a key that nobody knows."""
    if isinstance(key, TupleValue):
        values = [value for entry, value in obj.attrs.items() if text_keys.may_be_tuple(entry, key)]
        return values if obj.element is None else [*values, obj.element]
    pattern = text_keys.pattern(key)
    if pattern is None:
        return everything(obj)
    values = [value for entry, value in obj.attrs.items() if text_keys.may_be(entry, pattern)]
    if pattern in obj.attrs or obj.element is None:
        return values
    # Beside entries that were put together the others are not told apart.
    return [*values, UNKNOWN if text_keys.has_patterns(obj.attrs) else obj.element]


def each(obj: Obj, change: Callable[[Value], Value]) -> Obj:
    """A container of what ``change`` makes of all that it holds."""
    attrs = {name: change(part) for name, part in obj.attrs.items()}
    items = tuple(map(change, obj.items)) if obj.items is not None else None
    element = change(obj.element) if obj.element is not None else None
    return replace(obj, attrs=attrs, items=items, element=element)


def everything(obj: Obj) -> list[Value]:
    """All values a container may hold."""
    values = list(obj.attrs.values()) if obj.kind == "dict" else []
    values += obj.items or ()
    return [*values, obj.element] if obj.element is not None else values


def as_dict(interp: Interpreter, value: Value) -> Obj | None:
    """What ``dict(x)`` and ``**x`` take entries from: an object, or the dict within one whose class descends from ``dict``."""
    obj = interp.obj_of(value)
    held = obj.attrs.get(ENTRIES) if obj is not None and obj.kind == "instance" else None
    if obj is None or held is None or not isinstance(obj.cls, Class):
        return obj
    return obj if classes.find(interp, obj.cls, "__iter__") is not None else interp.obj_of(held)


def entries(interp: Interpreter, value: Value) -> tuple[dict[str, Value], Value | None] | None:
    """What a dict holds under its keys, and under any other; of one of several what either of them does. None for the rest."""
    held: dict[str, list[Value]] = {}
    others: list[Value] = []
    for member in members(value):
        obj = as_dict(interp, member)
        if obj is None or obj.kind != "dict":
            return None
        for key, entry in obj.attrs.items():
            held.setdefault(key, []).append(entry)
        others += [] if obj.element is None else [obj.element]
    return {key: join_all(each) for key, each in held.items()}, join_all(others) if others else None


def merged(
    below: Mapping[str, Value], above: Mapping[str, Value], at_times: frozenset[str]
) -> dict[str, Value]:
    """Entries put over others; those that are there ``at_times`` only may be either."""
    either = {name: join_values(below[name], above[name]) for name in at_times if name in below}
    return {**below, **above, **either}


def given(site: CallSite, name: str, held: Value) -> Value:
    """What takes the place of ``held`` where a call names it; where it does so at times only, it may be either."""
    value = site.value(None, name)
    if value is None:
        return held
    return join_values(held, value) if name in site.at_times else value


def repeated(obj: Obj) -> Obj:
    """A list of which all elements are alike, and which is there to be filled."""
    return obj.with_fact(REPEATED, PLACEHOLDER if _is_made_empty(obj.element) else TRUE)


def _is_made_empty(value: Value | None) -> bool:
    """Whether a value is what ``torch.empty`` gave, which nobody reads before something else takes its place."""
    return (
        isinstance(value, Tensor) and value.trail[:1] != () and _EMPTY.match(value.trail[0].text) is not None
    )


def shuffled(obj: Obj, *more: Value) -> Obj:
    """A list with the same elements (and ``more``), of which none is known to be anywhere."""
    values = [*everything(obj), *more]
    return replace(obj, items=None, element=join_elements(values) if values else None)


def part_of(obj: Obj, *, certain: bool) -> Obj:
    """A list of some of the items; each of them is in one for ``certain`` where a loop asks for all parts."""
    values = everything(obj)
    joined = join_all(values) if values else None
    return replace(obj, items=None, element=joined if certain or joined is None else any_one(joined))


def taken_from(obj: Obj) -> Obj:
    """A list, or a set, of which an item was taken, nobody knows which: done often enough, that takes all there was."""
    left = shuffled(obj).with_fact(TAKEN, TRUE)
    return left if left.element is None else replace(left, element=any_one(left.element))


def emptied(obj: Obj) -> Obj:
    """A list, or a set, in which nothing is left."""
    facts = {name: fact for name, fact in obj.facts.items() if name not in (list_places.GROWN, TAKEN)}
    return replace(obj, items=(), element=None, facts=facts)


def _longer(obj: Obj, value: Value) -> Obj:
    """A list with a further element: some are as before, and some are the new one, unless a loop takes them out of it."""
    values = [*everything(obj), value]
    split = TAKEN not in obj.facts
    return replace(obj, items=None, element=join_elements(values, split=split))


def delete_item(interp: Interpreter, ref: Ref, key: Value) -> None:
    """``del container[key]``."""
    obj = interp.obj(ref)
    forget_attribute(interp, obj, key)
    name = dict_key(key)
    if obj.kind == "dict" and name is not None:
        attrs = {entry: value for entry, value in obj.attrs.items() if entry != name}
        interp.update(ref, replace(obj, attrs=attrs))
    elif obj.kind == "dict":
        interp.update(ref, object_keys.without_entries(obj))
    elif obj.kind == "list":
        left = list_places.without(interp, obj, key)
        interp.update(ref, taken_from(obj) if left is None else left[1])


def forget_attribute(interp: Interpreter, namespace: Obj, key: Value | None) -> None:
    """What is taken out of ``__dict__``, or all of it, is computed anew where the object's class says how.

    What is taken out of the dicts of its parameters and buffers a module has no more.
    """
    if NAMESPACE_OF in namespace.facts:
        cached_properties.forget(interp, namespace.facts[NAMESPACE_OF], key)
    owner = namespace.facts.get(PARAMETERS_OF) or namespace.facts.get(BUFFERS_OF)
    if isinstance(owner, Ref):
        _take_out(interp, owner, namespace, key)


def _take_out(interp: Interpreter, owner: Ref, shown: Obj, key: Value | None) -> None:
    """A module loses a tensor that a dict of its shows, or all of these; which one it is, nobody may know."""
    obj, name = interp.obj(owner), dict_key(key) if key is not None else None
    if key is not None and name is None:
        lost = dict.fromkeys(shown.attrs.keys() & obj.attrs.keys(), UNKNOWN)
        interp.update(owner, replace(obj, attrs={**obj.attrs, **lost}))
        return
    gone = {name} if name is not None else shown.attrs.keys()
    kept = {each: value for each, value in obj.attrs.items() if each not in gone}
    interp.update(owner, replace(obj, attrs=kept, buffers=obj.buffers - gone))


def index_of(obj: Obj, key: Value) -> int | None:
    """The place of an item of a list that is known item by item; None where the key is none, or not known."""
    if not isinstance(key, Const) or not isinstance(key.value, int) or obj.items is None:
        return None
    return key.value if -len(obj.items) <= key.value < len(obj.items) else None


def append(interp: Interpreter, ref: Ref, value: Value) -> None:
    """``container.append(value)``: exact while it is short, summarised beyond."""
    obj = interp.obj(ref)
    if obj.items is not None and obj.element is None and len(obj.items) < MAX_ITEMS // 2:
        interp.update(ref, replace(obj, items=(*obj.items, value)))
    elif obj.items is not None and obj.element is not None:
        split = TAKEN not in obj.facts
        interp.update(ref, replace(obj, element=join_elements([obj.element, value], split=split)))
    else:
        interp.update(ref, _longer(obj, value))


def extend(interp: Interpreter, ref: Ref, given: Value, node: ast.expr | None = None) -> None:
    """``container.extend(given)``; ``node`` is the expression of what is given."""
    values = iteration.followed_items(interp, given)
    if values is None:
        interp.update(ref, _longer(interp.obj(ref), iteration.element(interp, given, node)))
        return
    begin = len(interp.obj(ref).items or ())
    for value in values:
        append(interp, ref, value)
    if iteration.has_grown(interp, given):
        begin += list_places.begin(interp.obj_of(given) or Obj("list"))
        interp.update(ref, list_places.grown(interp.obj(ref), begin))


def concatenated(interp: Interpreter, left: Value, right: Value) -> Value | None:
    """``left + right`` for two lists or tuples, or None when they are something else."""
    if isinstance(left, TupleValue) and isinstance(right, TupleValue):
        items = left.items + right.items
        return TupleValue(items) if len(items) <= MOST_ITEMS else Sequence(join_all(list(items)))
    if isinstance(left, (TupleValue, Sequence)) and isinstance(right, (TupleValue, Sequence)):
        parts = [part for each in (left, right) for part in tuple_elements(each)]
        return Sequence(join_all(parts))
    a, b = interp.obj_of(left), interp.obj_of(right)
    if a is None or b is None or a.kind != "list" or b.kind != "list":
        return None
    cls = a.cls if isinstance(a.cls, External) else UNKNOWN  # two deques are a deque
    short = len(a.items or ()) + len(b.items or ()) <= MOST_ITEMS
    if short and a.items is not None and b.items is not None and a.element is b.element is None:
        made = Obj("list", cls, items=a.items + b.items)
        if list_places.GROWN in a.facts:
            made = list_places.grown(made, list_places.begin(a))
        elif list_places.GROWN in b.facts:
            made = list_places.grown(made, len(a.items) + list_places.begin(b))
        return interp.new(made)
    parts = everything(a) + everything(b)
    return interp.new(Obj("list", cls, element=join_all(parts, split=True) if parts else None))


def with_tensors(obj: Obj, change: Callable[[Tensor], Tensor]) -> Obj:
    """An object with every tensor changed that it holds itself."""
    attrs = {key: change(held) if isinstance(held, Tensor) else held for key, held in obj.attrs.items()}
    element = change(obj.element) if isinstance(obj.element, Tensor) else obj.element
    return replace(obj, attrs=attrs, element=element)


def beside_entries(obj: Obj) -> Obj:
    """What an object is known to be that is given an attribute: of a dict, another one made of its entries has none."""
    return obj.with_fact(_BESIDE_ENTRIES, TRUE) if obj.kind == "dict" else obj


def is_made_of_entries(interp: Interpreter, obj: Obj) -> bool:
    """Whether an object of a class of the project that is made of a dict is what another one made of its entries would be."""
    cls = obj.cls
    own = isinstance(cls, Class) and any(classes.find(interp, cls, name) for name in _MAKING)
    return not own and _BESIDE_ENTRIES not in obj.facts


#: What a class has whose objects are made in a way of its own.
_MAKING = ("__init__", "__new__")
_BESIDE_ENTRIES = "attributes beside entries"
