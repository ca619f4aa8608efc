"""Methods of lists, dicts and sets."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from devfix.analysis.assumptions import device_keys, unsure_entries
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import any_one, join_all, join_elements
from devfix.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Const,
    External,
    Obj,
    Ref,
    Scalar,
    Sequence,
    TupleValue,
    Value,
)
from devfix.analysis.language import (
    containers,
    item_assignment,
    iteration,
    list_places,
    object_keys,
    text_keys,
)
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.modules import module_walks

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def call(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``container.name(...)``."""
    if name == "__setitem__" and len(site.args) == 2 and not site.open:
        item_assignment.assign(interp, ref, site.args[0].value, site.args[1].value, None)
        return NONE
    if obj.kind == "dict":
        return _dict(interp, ref, module_walks.looked_at(interp, ref, obj), name, site)
    first = site.args[0].value if site.args else UNKNOWN
    if name == "appendleft" and (begun := list_places.with_item(interp, obj, Const(0), first)) is not None:
        interp.update(ref, begun)
        return NONE
    if name in ("append", "add", "appendleft"):
        modules.collect(interp, first, site.args[0].node if site.args else None)
        containers.append(interp, ref, first)
        return NONE
    if name in ("extend", "update", "extendleft"):
        (_extend_left if name == "extendleft" else containers.extend)(interp, ref, first)
        return NONE
    if name == "insert" and len(site.args) > 1:
        longer = list_places.with_item(interp, obj, first, site.args[1].value)
        interp.update(ref, longer or containers.shuffled(obj, site.args[1].value))
        return NONE
    if name in ("pop", "popleft"):
        place = Const(0) if name == "popleft" else first if site.args else Const(-1)
        if (known := list_places.without(interp, obj, place)) is not None:
            interp.update(ref, known[1])
            return known[0]
        interp.update(ref, containers.taken_from(obj))
        values = containers.everything(obj)
        found = join_all(values) if values else UNKNOWN
        return found if interp.frame.loops else any_one(found)
    if name in ("sort", "reverse", "rotate", "remove", "discard"):
        changed = containers.taken_from if name in ("remove", "discard") else containers.shuffled
        turned = list_places.turned(interp, obj) if name == "reverse" else None
        interp.update(ref, turned or changed(obj))
        return NONE
    if name == "copy":
        return interp.new(obj)
    if name == "clear":
        interp.update(ref, containers.emptied(obj))
        return NONE
    if name == "index" and obj.element is None and list_places.GROWN not in obj.facts and len(site.args) == 1:
        return _index(obj.items or (), first)
    return Scalar("int") if name in ("index", "count") else UNKNOWN


def _extend_left(interp: Interpreter, ref: Ref, given: Value) -> None:
    """``deque.extendleft(given)``: each item goes before those that came earlier."""
    items = iteration.exact_items(interp, given)
    for item in items if items is not None else (iteration.element(interp, given, None),):
        obj = interp.obj(ref)
        begun = list_places.with_item(interp, obj, Const(0), item) if items is not None else None
        interp.update(ref, begun or containers.shuffled(obj, item))


def _index(items: tuple[Value, ...], wanted: Value) -> Value:
    """The place of the first of items that are known one by one, as Python compares them: 1 is True, and 1.0."""
    if not isinstance(wanted, Const):
        return Scalar("int")
    place = len(list(takewhile(lambda item: isinstance(item, Const) and item.value != wanted.value, items)))
    return Const(place) if place < len(items) and isinstance(items[place], Const) else Scalar("int")


def _dict(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    exact = obj.element is None
    if name == "items":
        if exact:
            pairs = (TupleValue((iteration.key_value(k), v)) for k, v in obj.attrs.items())
            return TupleValue(tuple(pairs))
        return Sequence(TupleValue((_key(obj), join_all(containers.everything(obj)))))
    if name == "values":
        values = containers.everything(obj)
        return TupleValue(tuple(values)) if exact else Sequence(join_all(values))
    if name == "keys":
        keys = tuple(iteration.key_value(key) for key in obj.attrs)
        return TupleValue(keys) if exact else Sequence(_key(obj))
    if name in ("get", "pop", "setdefault"):
        return _entry(interp, ref, obj, name, site)
    if name == "popitem":
        return _pop_item(interp, ref, obj, site)
    if name == "most_common":
        return Sequence(TupleValue((UNKNOWN, Scalar("int"))))
    if name == "update":
        return _update(interp, ref, obj, site)
    if name == "copy":
        return interp.new(replace(obj, facts={}))
    if name == "move_to_end" and site.args:
        return _to_the_end(interp, ref, obj, site)
    if name == "new_child":
        return _child(interp, obj, site)
    if name == "clear":
        containers.forget_attribute(interp, obj, None)
        interp.update(ref, replace(obj, attrs={}, element=None))
        return NONE
    return UNKNOWN


def _to_the_end(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> Value:
    """``OrderedDict.move_to_end(key, last=True)``: the order of the rest stays."""
    key, last = iteration.dict_key(site.args[0].value), site.value(1, "last")
    if key is not None and key in obj.attrs and last in (None, TRUE, FALSE):
        others = {name: value for name, value in obj.attrs.items() if name != key}
        moved = {key: obj.attrs[key]}
        interp.update(ref, replace(obj, attrs={**moved, **others} if last == FALSE else {**others, **moved}))
    return NONE


def _pop_item(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> Value:
    """``popitem()``: the last entry, or with ``last=False`` the first, where it is known which that is; else any."""
    values, last = containers.everything(obj), site.value(0, "last")
    in_turn = all(loop.exact for frame in interp.stack for loop in frame.loops)
    unsure = obj.element is not None or unsure_entries.of(obj) or text_keys.has_patterns(obj.attrs)
    if unsure or not obj.attrs or not in_turn or last not in (None, TRUE, FALSE):
        return TupleValue((_key(obj), join_elements(values))) if values else UNKNOWN
    name = list(obj.attrs)[0 if last == FALSE else -1]
    key, value = iteration.key_value(name), obj.attrs[name]
    containers.delete_item(interp, ref, key)
    return TupleValue((key, value))


def _child(interp: Interpreter, obj: Obj, site: CallSite) -> Value:
    """``ChainMap.new_child(entries)``: what it does not hold is looked for in the map before it."""
    child = interp.obj_of(site.value(0, "m"))
    if child is None or child.kind != "dict":
        return interp.new(replace(obj, facts={})) if not site.args else UNKNOWN
    return interp.new(
        replace(obj, attrs={**obj.attrs, **child.attrs}, element=child.element or obj.element, facts={})
    )


def _entry(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    key = site.args[0].value if site.args else UNKNOWN
    default = site.args[1].value if len(site.args) > 1 else NONE
    known = iteration.dict_key(key)
    if known is not None and known in obj.attrs:
        if name == "pop":
            containers.delete_item(interp, ref, key)
        return obj.attrs[known]
    if name == "pop":
        containers.forget_attribute(interp, obj, key)
        interp.update(ref, object_keys.without_entries(obj))
    kept = object_keys.entry(obj, key) if name == "get" else None
    if kept is not None:
        return kept
    exact = known is not None and containers.lacks(interp, obj, known)
    # Whoever names a default expects it to be taken now and then.
    found = default if exact else join_elements([containers.get_item(interp, ref, key), default], split=True)
    if name == "setdefault":
        item_assignment.assign(interp, ref, key, found, None)
    return found


def _update(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> Value:
    other = interp.obj_of(site.args[0].value) if site.args else None
    if site.args and (other is None or other.kind != "dict"):
        pairs = interp.call(External("builtins.dict"), CallSite(site.node, site.args[:1]))
        other = interp.obj_of(pairs)
    if not obj.facts.keys().isdisjoint(item_assignment.VIEWS):
        _update_view(interp, ref, other, site)
        return NONE
    if other is not None and other.element is not None:
        further = object_keys.added(obj, object_keys.of(other))
        obj = object_keys.with_entries_of(further, obj, other)
    attrs = dict(obj.attrs)
    element = obj.element
    if other is not None and other.kind == "dict":
        at_times = unsure_entries.of(other)
        obj = unsure_entries.marked(obj, at_times - attrs.keys())
        attrs = containers.merged(attrs, other.attrs, at_times)
        element = other.element if element is None else element
    elif site.args:
        element = UNKNOWN
    attrs.update({name: arg.value for name, arg in site.keywords.items()})
    interp.update(ref, device_keys.mixed(replace(obj, attrs=attrs, element=element)))
    return NONE


def _update_view(interp: Interpreter, ref: Ref, other: Obj | None, site: CallSite) -> None:
    """``vars(x).update(entries, name=value)``: entry by entry, and who knows which where not all entries are known."""
    entries = other if other is not None and other.kind == "dict" else None
    for key, value in entries.attrs.items() if entries is not None else ():
        item_assignment.assign(interp, ref, iteration.key_value(key), value, None)
    for key, arg in site.keywords.items():
        item_assignment.assign(interp, ref, Const(key), arg.value, None)
    unknown = bool(site.args) and (entries is None or entries.element is not None)
    if unknown or site.open:
        item_assignment.assign(interp, ref, UNKNOWN, UNKNOWN, None)


def _key(obj: Obj) -> Value:
    """One of the keys of a dict that has some that are no constants."""
    return join_all([*map(iteration.key_value, obj.attrs), object_keys.of(obj)])
