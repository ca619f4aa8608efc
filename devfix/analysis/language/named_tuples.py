"""Named tuples: those of the project (``namedtuple``, ``NamedTuple``) and the results of PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import (
    UNKNOWN,
    Class,
    Const,
    External,
    Obj,
    Partial,
    Ref,
    Scalar,
    TupleValue,
    Value,
)
from devfix.analysis.language import containers, iteration
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What calling a type that ``namedtuple`` made means; its first argument are the fields' defaults.
MAKE = modules.NEW_NAMED_TUPLE
#: How the classes are called from which those of named tuples descend: written out, and made by a call.
_BASES = frozenset({"typing.NamedTuple", modules.NAMED_TUPLE})
#: The attribute that names the fields.
FIELDS = "_fields"
#: Fields of what PyTorch returns, by the length of the tuple.
_OF_TORCH = {
    2: {
        "values": 0, "indices": 1, "eigenvalues": 0, "eigenvectors": 1, "Q": 0, "R": 1, "sign": 0,
        "logabsdet": 1, "mantissa": 0, "exponent": 1, "min": 0, "max": 1,
    },
    3: {"U": 0, "S": 1, "Vh": 2, "V": 2, "P": 0, "L": 1},
}  # fmt: skip


def attribute(value: TupleValue, name: str) -> Value | None:
    """``value.name`` for a field; None when the tuple has no such field."""
    if value.names:
        if name == FIELDS:
            return texts(value.names)
        found = value.names.index(name) if name in value.names else None
    else:
        found = _OF_TORCH.get(len(value.items), {}).get(name)
    return value.items[found] if found is not None and found < len(value.items) else None


def texts(names: tuple[str, ...]) -> TupleValue:
    """A tuple of texts."""
    return TupleValue(tuple(map(Const, names)))


def define(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``namedtuple("State", ["h", "c"])`` makes a type."""
    given = site.value(1, "field_names")
    names = _names(interp, given) if given is not None else None
    if names is None or site.open or "rename" in site.keywords:
        return UNKNOWN
    defaults = site.value(None, "defaults")
    last = iteration.exact_items(interp, defaults) if defaults is not None else ()
    if last is None:
        return UNKNOWN
    first = (UNKNOWN,) * (len(names) - len(last))
    return Partial(External(MAKE), (TupleValue((*first, *last), names),), ())


def define_typed(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``NamedTuple("State", [("h", Tensor), ("c", Tensor)])`` makes a type, too; none of its fields has a default."""
    fields = iteration.exact_items(interp, site.value(1, "fields") or UNKNOWN) or ()
    names = [next(iter(iteration.exact_items(interp, field) or ()), UNKNOWN) for field in fields]
    known = tuple(each.value for each in names if isinstance(each, Const) and isinstance(each.value, str))
    if not known or len(known) != len(names) or site.open:
        return UNKNOWN
    return Partial(External(MAKE), (TupleValue((UNKNOWN,) * len(known), known),), ())


def class_of(value: TupleValue) -> Partial:
    """The type that made a named tuple; what its defaults are the tuple does not tell."""
    return Partial(External(MAKE), (value.with_items((UNKNOWN,) * len(value.names)),), ())


def is_type(value: Value) -> bool:
    """Whether a value is a type that ``namedtuple`` made."""
    return isinstance(value, Partial) and value.function == External(MAKE)


def _names(interp: Interpreter, given: Value) -> tuple[str, ...] | None:
    if isinstance(given, Const) and isinstance(given.value, str):
        return tuple(given.value.replace(",", " ").split())
    names = [item.value if isinstance(item, Const) else None
             for item in iteration.exact_items(interp, given) or ()]  # fmt: skip
    known = tuple(name for name in names if isinstance(name, str))
    return known if known and len(known) == len(names) else None


def make(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``State(h, c)``: the fields that no argument names are the defaults."""
    fields = site.value(0)
    if not isinstance(fields, TupleValue) or site.open:
        return UNKNOWN
    return fields.with_items(
        site.value(number + 1, field) or default
        for number, (field, default) in enumerate(zip(fields.names, fields.items, strict=True))
    )


def made_of(interp: Interpreter, maker: Value, site: CallSite) -> Value:
    """``State._make(items)``."""
    given = site.value(0, "iterable") or UNKNOWN
    fields, items = fields_of(interp, maker), iteration.exact_items(interp, given)
    if items is None:
        items = (iteration.element(interp, given, None),) * len(fields)
    if not fields or len(items) != len(fields):
        return UNKNOWN
    return interp.call(maker, CallSite(site.node, tuple(map(Arg, items))))


def fields_of(interp: Interpreter, maker: Value) -> tuple[str, ...]:
    """What the fields of a type of named tuples are called; nothing for any other class."""
    if isinstance(maker, Partial) and is_type(maker):
        return maker.args[0].names if isinstance(maker.args[0], TupleValue) else ()
    if isinstance(maker, Class) and "typing.NamedTuple" in modules.external_bases(interp, maker):
        return tuple(field.name for field in classes.fields(maker))
    made = _type_above(interp, maker) if isinstance(maker, Class) else None
    return fields_of(interp, made) if made is not None else ()


def _type_above(interp: Interpreter, cls: Class) -> Partial | None:
    """The type that ``namedtuple`` made from which a class of the project descends, if it does."""
    if modules.NAMED_TUPLE not in modules.external_bases(interp, cls):
        return None
    found = (base for each in classes.linearise(cls) for base in each.bases)
    return next((base for base in found if isinstance(base, Partial) and is_type(base)), None)


def new(interp: Interpreter, cls: Class, site: CallSite) -> Ref | None:
    """An object of a class that descends from what ``namedtuple`` made, or from ``tuple``; None for any other class.

    What ``super().__new__`` is given are the fields, or what holds the items.
    """
    maker = _type_above(interp, cls)
    is_tuple = "builtins.tuple" in modules.external_bases(interp, cls)
    if maker is None and not (is_tuple and site.args):
        return None
    trail = (interp.site("module", site.node),)
    if maker is not None:
        made = interp.call(maker, site)
        if not isinstance(made, TupleValue) or any(classes.find(interp, cls, name) for name in made.names):
            return None  # what the class has under the name of a field takes its place
        attrs = dict(zip(made.names, made.items, strict=True))
        return interp.new(Obj("instance", cls, attrs=attrs, items=made.items, trail=trail))
    items = iteration.exact_items(interp, site.args[0].value)
    return interp.new(Obj("instance", cls, items=items, trail=trail)) if items is not None else None


def method(interp: Interpreter, value: TupleValue, name: str, site: CallSite) -> Value:
    """A method of a named tuple."""
    if name == "_replace" and not site.open:
        return value.with_items(
            containers.given(site, field, item) for field, item in zip(value.names, value.items, strict=True)
        )
    if name == "_make" and value.names:
        return made_of(interp, class_of(value), site)
    if name == "_asdict" and value.names:
        return interp.new(Obj("dict", attrs=dict(zip(value.names, value.items, strict=True))))
    return Scalar("int") if name in ("index", "count") else UNKNOWN


def replaced(interp: Interpreter, obj: Obj, site: CallSite) -> Value:
    """``_replace`` of an object of a class of the project that is a named tuple."""
    given = {name: containers.given(site, name, value) for name, value in obj.attrs.items()}
    return interp.new(replace(obj, attrs=given, items=tuple(given.values())))


def is_one(interp: Interpreter, obj: Obj) -> bool:
    """Whether an object is a named tuple of a class of the project."""
    named = isinstance(obj.cls, Class) and not _BASES.isdisjoint(modules.external_bases(interp, obj.cls))
    return named and obj.items is not None


def with_fields(interp: Interpreter, obj: Obj, change: Callable[[Value], Value]) -> Ref:
    """Another named tuple of the same class, each of whose fields has been changed."""
    attrs = {name: change(value) for name, value in obj.attrs.items()}
    return interp.new(replace(obj, attrs=attrs, items=tuple(attrs.values())))


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "collections.namedtuple": define,
    "typing.NamedTuple": define_typed,
    MAKE: make,
}
