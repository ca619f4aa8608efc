"""Records: what ``dataclasses`` makes of an object of the project, and what it says of its fields."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.values import (
    UNKNOWN,
    Class,
    Const,
    Obj,
    Scalar,
    TupleValue,
    Union,
    Value,
    members,
    without_none,
)
from devfix.analysis.language import construction, containers, declared_fields
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.text.syntax import remembered
from devfix.analysis.torch_model.python.copies import clone

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

Handler = Callable[["Interpreter", str, CallSite], Value]
#: What a program asks of a field.
_OF_FIELD = ("name", "type", "default", "metadata")


def _record(interp: Interpreter, value: Value | None) -> tuple[Class, Obj] | None:
    """A dataclass and its object."""
    obj = interp.obj_of(without_none(value)) if value is not None else None
    if obj is None or not isinstance(obj.cls, Class) or not classes.is_dataclass(obj.cls):
        return None
    return obj.cls, obj


def replace_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``replace(batch, x=...)``: another object of the class, made of what the call names and of what was there."""
    found = _record(interp, site.value(0, "obj"))
    if found is None or site.open:
        return UNKNOWN
    cls, obj = found
    held = {name: obj.attrs[name] for name in _names(cls) if name in obj.attrs}
    kept = {name: Arg(containers.given(site, name, value)) for name, value in held.items()}
    return construction.instantiate(interp, cls, CallSite(site.node, keywords={**site.keywords, **kept}))


def as_dict(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``asdict(x)``: the fields by their names; records in records become dicts as well."""
    found = _record(interp, site.value(0, "obj"))
    return interp.new(Obj("dict", attrs=_entries(interp, *found))) if found is not None else UNKNOWN


def _entries(interp: Interpreter, cls: Class, obj: Obj) -> dict[str, Value]:
    return {name: _plain(interp, obj.attrs[name]) for name in _names(cls) if name in obj.attrs}


def _names(cls: Class) -> list[str]:
    return [field.name for field in classes.fields(cls)]


def _plain(interp: Interpreter, value: Value) -> Value:
    inner = _record(interp, value)
    if inner is not None:
        return interp.new(Obj("dict", attrs=_entries(interp, *inner)))
    obj = interp.obj_of(value)
    if obj is None or obj.kind not in ("list", "dict"):
        return clone(interp, value, {})
    attrs = {key: _plain(interp, item) for key, item in obj.attrs.items()}
    items = tuple(_plain(interp, item) for item in obj.items) if obj.items is not None else None
    element = _plain(interp, obj.element) if obj.element is not None else None
    return interp.new(replace(obj, attrs=attrs, items=items, element=element))


def as_tuple(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``astuple(x)``: the fields in order."""
    found = _record(interp, site.value(0, "obj"))
    return TupleValue(tuple(_entries(interp, *found).values())) if found is not None else UNKNOWN


def fields(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``fields(x)`` of an object or its class: what each field is called, and of which type it says to be."""
    value = site.value(0, "class_or_instance")
    found = _record(interp, value)
    cls = found[0] if found is not None else value
    if not isinstance(cls, Class) or not classes.is_dataclass(cls):
        return UNKNOWN
    empty = interp.new(Obj("dict"))
    told = (
        (Const(field.name), _type(interp, field), UNKNOWN, _metadata(interp, field, empty))
        for field in classes.fields(cls)
    )
    return TupleValue(tuple(TupleValue(each, _OF_FIELD) for each in told))


def _type(interp: Interpreter, field: classes.Field) -> Value:
    """What a field is annotated with: the class, or its text where the file has ``from __future__ import annotations``."""
    node = field.annotation
    if not isinstance(node, (ast.Name, ast.Attribute, ast.Constant)):
        return UNKNOWN
    if _keeps_texts(interp.program.sources[field.owner.path].tree):
        return Const(ast.unparse(node))
    with construction.body_of(interp, field.owner):
        return interp.eval(node)


@remembered
def _keeps_texts(tree: ast.Module) -> bool:
    """Whether a file keeps its annotations as texts, under whatever name it imported that."""
    imports = (part for part in tree.body if isinstance(part, ast.ImportFrom) and part.module == "__future__")
    return any(alias.name == "annotations" for part in imports for alias in part.names)


def _metadata(interp: Interpreter, field: classes.Field, empty: Value) -> Value:
    """What the class says of one of its fields beside its default: nothing where it is not told to."""
    told = declared_fields.of(interp, field)
    if told is not None:
        return told.attrs.get("metadata", UNKNOWN if told.element is not None else empty)
    return UNKNOWN if isinstance(field.default, ast.Call) else empty


def is_record(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``is_dataclass(x)`` of an object or a class of the project; other objects of unknown class may be one."""
    value = site.value(0, "obj")
    obj = interp.obj_of(value)
    cls = obj.cls if obj is not None else value
    if isinstance(cls, Class):
        return Const(classes.is_dataclass(cls))
    collection = obj is not None and obj.kind in ("list", "dict") and cls == UNKNOWN
    plain = (value is not None and cls is value and value != UNKNOWN) or collection
    return Const(False) if plain else Scalar("bool")


def _of_each(ask: Handler) -> Handler:
    """What is asked of one of several objects is what is known of each of them; None would not survive most questions."""

    def answer(interp: Interpreter, name: str, site: CallSite) -> Value:
        first = site.args[0] if site.args else None
        if first is None or not isinstance(first.value, Union):
            return ask(interp, name, site)
        whole = first.value if ask is is_record else without_none(first.value)
        sites = (replace(site, args=(first._replace(value=each), *site.args[1:])) for each in members(whole))
        return join_all([ask(interp, name, each) for each in sites])

    return answer


_ASKED: dict[str, Handler] = {
    "dataclasses.replace": replace_,
    "dataclasses.asdict": as_dict,
    "dataclasses.astuple": as_tuple,
    "dataclasses.field": declared_fields.declare,
    "dataclasses.fields": fields,
    "dataclasses.is_dataclass": is_record,
    "copy.replace": replace_,
    "attr.evolve": replace_,
    "attrs.evolve": replace_,
    "attr.asdict": as_dict,
    "attrs.asdict": as_dict,
}
HANDLERS: dict[str, Handler] = {name: _of_each(ask) for name, ask in _ASKED.items()}
