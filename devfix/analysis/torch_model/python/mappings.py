"""Classes of the project made of ``Mapping`` or ``UserDict``: what they inherit goes by their own methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_values
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Class,
    Const,
    Function,
    Obj,
    Ref,
    Sequence,
    TupleValue,
    Value,
)
from devfix.analysis.language import given_namespaces, iteration
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn.modules import external_bases

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

USER_DICT = "collections.UserDict"
_DICTS = frozenset({"builtins.dict", "collections.OrderedDict", "collections.defaultdict"})
_MAPPINGS = frozenset(
    f"{package}.{name}"
    for package in ("collections.abc", "typing", "collections")
    for name in ("Mapping", "MutableMapping")
)


def is_mapping(interp: Interpreter, obj: Obj) -> bool:
    """Whether an object's class descends from ``Mapping``."""
    return isinstance(obj.cls, Class) and not _MAPPINGS.isdisjoint(external_bases(interp, obj.cls))


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """A method that ``Mapping`` makes of ``__getitem__``, ``__setitem__`` and ``__iter__``."""
    given = [arg.value for arg in site.args]
    if name in ("get", "pop") and given:
        default = given[1] if len(given) > 1 else NONE
        return join_values(_get(interp, ref, given[0], site), default)
    if name == "update":
        for key, value in _entries(interp, site):
            _call(interp, ref, "__setitem__", site, key, value)
        return NONE
    if name not in ("keys", "values", "items"):
        return UNKNOWN
    keys = iteration.exact_items(interp, _call(interp, ref, "__iter__", site))
    pairs = [TupleValue((key, _get(interp, ref, key, site))) for key in keys or (UNKNOWN,)]
    found = tuple(pair if name == "items" else pair.items[name == "values"] for pair in pairs)
    return TupleValue(found) if keys is not None else Sequence(found[0])


def _entries(interp: Interpreter, site: CallSite) -> list[tuple[Value, Value]]:
    """The entries that ``update`` is given, one by one where they are known."""
    found: list[tuple[Value, Value]] = [(Const(key), arg.value) for key, arg in site.keywords.items()]
    other = interp.obj_of(site.args[0].value) if site.args else None
    if other is not None and other.kind == "dict":
        found += [(iteration.key_value(key), value) for key, value in other.attrs.items()]
        found += [(UNKNOWN, other.element)] if other.element is not None else []
    return found


def _get(interp: Interpreter, ref: Ref, key: Value, site: CallSite) -> Value:
    return _call(interp, ref, "__getitem__", site, key)


def _call(interp: Interpreter, ref: Ref, name: str, site: CallSite, *given: Value) -> Value:
    cls = interp.obj(ref).cls
    found = classes.find(interp, cls, name) if isinstance(cls, Class) else None
    if not isinstance(found, Function):
        return UNKNOWN
    args = tuple(Arg(value) for value in given)
    return interp.call_function(found, [ref], site.node, CallSite(site.node, args))


def is_user_dict(interp: Interpreter, obj: Obj) -> bool:
    """Whether a dict has its entries in ``data``."""
    return isinstance(obj.cls, Class) and USER_DICT in external_bases(interp, obj.cls)


def set_data(interp: Interpreter, ref: Ref, value: Value) -> None:
    """``self.data = entries`` of a ``UserDict``."""
    obj, other = interp.obj(ref), interp.obj_of(value)
    if other is not None and other.kind == "dict":
        interp.update(ref, replace(obj, attrs=other.attrs, element=other.element))
    else:
        interp.update(ref, replace(obj, attrs={}, element=UNKNOWN))


def with_own_entries(interp: Interpreter, cls: Class) -> dict[str, Value]:
    """What an object has from the start whose class descends from ``dict`` or ``list``, and gets its entries its own way: none."""
    above = external_bases(interp, cls)
    if "builtins.list" in above:
        return {given_namespaces.ENTRIES: interp.new(Obj("list", items=()))}
    return {} if _DICTS.isdisjoint(above) else {given_namespaces.ENTRIES: interp.new(Obj("dict"))}


def wrapped(interp: Interpreter, obj: Obj) -> Ref | None:
    """The container within an object of a class that descends from ``dict``, ``UserDict`` or ``list``, and gets its entries its own way."""
    if obj.kind != "instance":
        return None
    held = obj.attrs.get(given_namespaces.ENTRIES)
    if held is None and is_user_dict(interp, obj):
        held = obj.attrs.get("data")
    return held if isinstance(held, Ref) else None
