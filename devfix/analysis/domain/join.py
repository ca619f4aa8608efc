"""Least upper bounds of values and heap objects: what holds after two paths meet."""

from __future__ import annotations

import operator
from itertools import islice

from devfix.analysis.assumptions import device_keys, unsure_entries
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import UNKNOWN_DEVICE, join_dtypes, join_ranks, parse_device
from devfix.analysis.domain.tensor_join import host_path, merge_tensors, paths_of
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Array,
    BoundMethod,
    Class,
    Const,
    DeviceValue,
    DTypeValue,
    External,
    ExternalMethod,
    Function,
    Namespace,
    Obj,
    Ref,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Union,
    Unknown,
    Value,
    is_option,
    members,
    usual_value,
)

_MAX_MEMBERS = 4
#: Objects and their methods, of which one is called on all of the objects or on none, what makes objects, and files of it.
_OF_OBJECTS = (Ref, ExternalMethod, BoundMethod, Class, Function, Namespace)
#: Those of them that never become one with another, and are told apart at once.
_APART = frozenset({Ref, Class, Function, Namespace})
#: The layers of a network may be many and different.
_MAX_OBJECTS = 32
#: The fact of a module that it was moved as a whole: on one path only it is none.
MOVED = "moved at"
#: The fact of a list that some rounds of a loop put entries on the accelerator, and what others leave on the CPU.
LEFT = "left on the CPU"
#: The fact of a list out of which items were taken, nobody knows which: whatever was in it may be gone.
TAKEN = "taken"
#: Facts that hold on the paths where they were set, whatever the others did.
_POSSIBILITIES = frozenset({"state device", "filled", LEFT, TAKEN})


def join_values(a: Value, b: Value, *, split: bool = False) -> Value:
    """The least upper bound of two values.

    With ``split`` both paths are known to be taken at times (the test depends on data, not on an
    option), so a tensor that one of them leaves on the CPU remembers that.
    """
    if a is b or (a.__class__ is b.__class__ and a == b):
        return a if a is b else _either(a, b)
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return _unless_chosen(a, b) or (_half_known(a, b) if split else UNKNOWN)
    merged = _merge(a, b, split)
    return merged if merged is not None else _union(a, b, split)


def _either(a: Value, b: Value) -> Value:
    """One of two alike values.

    Generators of such need not give as many, nor in one order; tensors may have been made in two places.
    """
    if isinstance(a, Sequence) and isinstance(b, Sequence):
        return a if a.row == b.row and a.result == b.result else Sequence(a.element)
    if isinstance(a, Tensor) and isinstance(b, Tensor) and a.trail is not b.trail:
        paths = paths_of(a, b)
        return a if paths == a.paths else replace(a, paths=paths)
    return a


def join_all(values: list[Value], *, split: bool = False) -> Value:
    """The least upper bound of several values; UNKNOWN for none."""
    if not values:
        return UNKNOWN
    if len(values) > _MAX_MEMBERS and all(value.__class__ in _APART for value in values):
        return _one_of(values)
    result = values[0]
    for value in values[1:]:
        result = join_values(result, value, split=split)
    return result


def _one_of(values: list[Value]) -> Value:
    """What ``join_values`` makes of one object after the other, without a new union for each."""
    found: dict[Value, None] = {}
    for value in values:
        found[value] = None
        if len(found) > _MAX_OBJECTS:
            found = dict.fromkeys(islice(found, _MAX_MEMBERS))
    return Union(tuple(found)) if len(found) > 1 else values[0]


#: Values that may become one value with another of their kind; of all others each stays what it is.
_MERGING = frozenset({Tensor, Array, TupleValue, Sequence, DTypeValue, DeviceValue, Const, Scalar})


def _merge(a: Value, b: Value, split: bool = False) -> Value | None:
    """The join of two values of one kind; None when they are too different for one value."""
    if a.__class__ not in _MERGING or b.__class__ not in _MERGING:
        return None
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return merge_tensors(a, b, split)
    if isinstance(a, Array) and isinstance(b, Array):
        dtype, rank = join_dtypes(a.dtype, b.dtype), join_ranks(a.rank, b.rank)
        return Array(dtype, rank, a.trail)
    if isinstance(a, TupleValue) and isinstance(b, TupleValue):
        if len(a.items) == len(b.items):
            pairs = list(zip(a.items, b.items, strict=True))
            split = split and not any(_tells_apart(x, y) for x, y in pairs)
            return a.with_items(join_values(x, y, split=split) for x, y in pairs)
    if isinstance(a, (TupleValue, Sequence)) and isinstance(b, (TupleValue, Sequence)):
        return Sequence(join_all([*tuple_elements(a), *tuple_elements(b)]))
    if isinstance(a, DTypeValue) and isinstance(b, DTypeValue):
        return DTypeValue(None)
    return _merge_devices(a, b) or _merge_scalars(a, b)


def _tells_apart(a: Value, b: Value) -> bool:
    """Whether a flag tells two tuples apart, and so where the tensor beside it is: ``(x, False)`` and ``(y, True)``.

    What is computed in each, or in one place for all, is no such flag: whether an episode is over, say.
    """
    flags = [each for each in (a, b) if isinstance(each, Const) and isinstance(each.value, bool)]
    if len(flags) == 1:
        return any(isinstance(each, Scalar) and each.type == "bool" for each in (a, b))
    return len(flags) > 1 and a != b


def tuple_elements(value: TupleValue | Sequence) -> tuple[Value, ...]:
    """What a tuple holds, or what one of unknown length may."""
    return value.items if isinstance(value, TupleValue) else (value.element,)


def _half_known(a: Value, b: Value) -> Value:
    """What is a tensor on one of two paths is one on the other, wherever it is."""
    found = next((each for each in (a, b) if isinstance(each, Tensor)), None)
    if found is None or found.device.kind not in ("cpu", "unknown") or found.rank == 0:
        return UNKNOWN
    split = found if found.device.is_known else found.split
    return replace(found, device=UNKNOWN_DEVICE, dtype=None, rank=None, leaf=None, grad=None, split=split)


def _merge_devices(a: Value, b: Value) -> Value | None:
    """Two device choices: the program under analysis is the one that chose the accelerator."""
    for x, y in ((a, b), (b, a)):
        if is_accelerator_choice(x) and _is_device_choice(y):
            return x
    return None


def is_accelerator_choice(value: Value) -> bool:
    """Whether the value is a device object or string that names an accelerator."""
    if isinstance(value, DeviceValue):
        return value.device.is_accelerator
    if isinstance(value, Const) and isinstance(value.value, str):
        return parse_device(value.value).is_accelerator
    return False


def _unless_chosen(a: Value, b: Value) -> Value | None:
    """An option that nobody set, or else the accelerator: the program under analysis chose the latter."""
    for x, y in ((a, b), (b, a)):
        if is_accelerator_choice(x) and is_option(y):
            return x
    return None


def _is_device_choice(value: Value) -> bool:
    if isinstance(value, Const) and isinstance(value.value, str):
        return parse_device(value.value).is_known
    return isinstance(value, DeviceValue)


def _merge_scalars(a: Value, b: Value) -> Value | None:
    kind_a, kind_b = scalar_type(a), scalar_type(b)
    if kind_a is None or kind_b is None:
        return None
    if kind_a == kind_b:
        return Scalar(kind_a, mixed=_is_mixed(a) or _is_mixed(b))
    numbers = {"bool", "int", "float"}
    return Scalar("float", mixed=True) if {kind_a, kind_b} <= numbers else None


def _is_mixed(value: Value) -> bool:
    return isinstance(value, Scalar) and value.mixed


def scalar_type(value: Value) -> str | None:
    """The type name of a simple Python object, or None."""
    if isinstance(value, Scalar):
        return value.type
    if isinstance(value, Const) and isinstance(value.value, (bool, int, float, str)):
        return type(value.value).__name__
    return None


def _union(a: Value, b: Value, split: bool = False) -> Value:
    """A union, in which values of one kind have been merged; nothing of a run goes on where an import finds nothing."""
    if _is_absent(a, b) or _is_absent(b, a):
        return b if _is_absent(a, b) else a
    found: list[Value] = []
    known: set[Value] = set()
    for value in (*members(a), *members(b)):
        kind = value.__class__
        if kind in _APART:
            if value not in known:
                known.add(value)
                found.append(value)
            continue
        for index, other in enumerate(found):
            if other.__class__ is kind and other == value:
                break
            if kind in _MERGING and (merged := _merge(other, value, split)) is not None:
                found[index] = merged
                break
        else:
            found.append(value)
    if len(found) > _MAX_MEMBERS:
        # An attribute is often None before it is one of several networks, and an option a text that chose none.
        others = [value for value in found if not (isinstance(value, _OF_OBJECTS) or value == NONE)]
        if any(scalar_type(value) != "str" for value in others):
            return UNKNOWN
        if len(found) > _MAX_OBJECTS:
            return Union(tuple(found[:_MAX_MEMBERS]))
    return found[0] if len(found) == 1 else Union(tuple(found))


def _is_absent(value: Value, other: Value) -> bool:
    """Whether a value is what an import does not find, or need not find where the other one is the program's own in its place."""
    if not isinstance(value, External):
        return False
    return value.absent or (value.optional and isinstance(other, (Function, Class)))


def usually(joined: Value, usual: Value) -> Value:
    """What an option makes of a value, and which of the two it is in a run that is given none: it may be one of several, too."""
    if isinstance(joined, Scalar):
        known = usual_value(usual)
        return replace(joined, usual=None if known is None else known.value)
    if isinstance(joined, Union):
        one = usual.usual or usual if isinstance(usual, Union) else usual
        part = one != joined and all(each in joined.members for each in members(one))
        return replace(joined, usual=one if part else None)
    return joined


def usual_of_all(value: Union) -> Value | None:
    """What a run without options has; None where another has a number there, which nothing can move."""
    return None if any(scalar_type(member) is not None for member in value.members) else value.usual


def join_objects(
    a: Obj, b: Obj, *, split: bool = False, usual: bool | None = None, rounds: bool = False
) -> Obj:
    """The least upper bound of two versions of one heap object; ``split`` as for values.

    ``usual`` tells which of them (True: ``a``) a run has that is given no options, ``rounds`` that some rounds of a
    loop take the one path and others the other, so that entries of a list part.
    """
    if a is b:
        return a
    facts = _join_facts(a, b)
    attrs = _join_attrs(a, b, split, usual)
    if a.attrs.keys() != b.attrs.keys():
        attrs, facts = unsure_entries.apart(a, b, attrs, facts)
    left = _left_on_host(a, b) if rounds and a.kind == "list" else None
    if left is not None:
        facts[LEFT] = left
    return replace(
        a,
        attrs=attrs,
        items=_join_items(a, b, split, usual),
        element=_join_elements(a, b, split),
        place=merge_tensors(a.place, b.place, split) if a.place and b.place else a.place or b.place,
        buffers=a.buffers | b.buffers,
        facts=facts,
    )


def _left_on_host(a: Obj, b: Obj) -> Tensor | None:
    """An entry of a list that is a tensor on the CPU on one path, and one on the accelerator on the other."""
    pairs = [(a.element, b.element)]
    if a.items is not None and b.items is not None:
        pairs += zip(a.items, b.items, strict=False)
    for one, other in pairs:
        if isinstance(one, Tensor) and isinstance(other, Tensor):
            if {one.device.kind, other.device.kind} == {"cpu", "accelerator"}:
                return host_path(one, other, split=True)
    return None


def _join_attrs(a: Obj, b: Obj, split: bool, usual: bool | None) -> dict[str, Value]:
    joined = dict(a.attrs)
    for name, value in b.attrs.items():
        mine = joined.get(name)
        if mine is None:
            joined[name] = value
        else:
            joined[name] = _join_parts(mine, value, split, usual)
    return joined


def _join_parts(mine: Value, value: Value, split: bool, usual: bool | None) -> Value:
    """One attribute or item on both paths."""
    if mine is value:
        return mine
    both = join_values(mine, value, split=split)
    return both if usual is None else usually(both, mine if usual else value)


def _join_facts(a: Obj, b: Obj) -> dict[str, Value]:
    if a.facts == b.facts:
        return dict(a.facts)
    names = [
        name for name in {**a.facts, **b.facts} if name != MOVED or (name in a.facts and name in b.facts)
    ]
    facts = {name: _join_fact(name, a.facts.get(name), b.facts.get(name)) for name in names}
    if device_keys.TOLD in facts:
        facts[device_keys.TOLD] = device_keys.of_either(a, b)
    return facts


def _join_fact(name: str, a: Value | None, b: Value | None) -> Value:
    """What an optimizer's state may be is kept when only one path gave it any."""
    if name in _POSSIBILITIES and (a is None or b is None):
        return a or b or UNKNOWN
    if name == LEFT and a is not None:
        return a
    return join_values(a or UNKNOWN, b or UNKNOWN)


def _join_items(a: Obj, b: Obj, split: bool, usual: bool | None) -> tuple[Value, ...] | None:
    """Items side by side. Of lists of objects that grew in different ways the first ones are kept."""
    if a.items is None or b.items is None or not (len(a.items) == len(b.items) or _have_head(a, b)):
        return None
    return tuple(_join_parts(x, y, split, usual) for x, y in zip(a.items, b.items, strict=False))


def _have_head(a: Obj, b: Obj) -> bool:
    """Whether two lists of different lengths begin with the same objects, or with items of arrays before numbers."""
    pairs = list(zip(a.items or (), b.items or (), strict=False))
    if not pairs or any(x != y for x, y in pairs):
        return False
    if not all(isinstance(x, Array) for x, _ in pairs):
        return all(isinstance(x, Ref) for x, _ in pairs)
    others = [*(a.items or ())[len(pairs) :], *(b.items or ())[len(pairs) :], a.element, b.element]
    return any(other is not None and scalar_type(other) is not None for other in others)


def _join_elements(a: Obj, b: Obj, split: bool) -> Value | None:
    parts = [part for part in (a.element, b.element) if part is not None]
    if a.items is None or b.items is None:
        parts += [*(a.items or ()), *(b.items or ())]
    elif len(a.items) != len(b.items):
        begin = min(len(a.items), len(b.items)) if _have_head(a, b) else 0
        parts += [*a.items[begin:], *b.items[begin:]]
    # Of what may all have been taken out none need be there.
    split = split and TAKEN not in a.facts and TAKEN not in b.facts
    return join_elements(parts, split=split) if parts else None


def any_one(value: Value) -> Value:
    """One of several values that were joined, nobody knows which: what some of them are it need not be."""
    if isinstance(value, Tensor):
        return replace(value, split=None) if value.is_parted else value
    if isinstance(value, TupleValue):
        items = tuple(map(any_one, value.items))
        return value if all(map(operator.is_, items, value.items)) else value.with_items(items)
    return value


def join_elements(parts: list[Value], *, split: bool = False) -> Value:
    """What an element of a list is; of very many objects (the layers of a network, say) a few stand for all."""
    joined = join_all(parts, split=split)
    if joined != UNKNOWN:
        return joined
    each = list(dict.fromkeys(member for part in parts for member in members(part)))
    return Union(tuple(each[:_MAX_OBJECTS])) if all(isinstance(member, Ref) for member in each) else UNKNOWN
