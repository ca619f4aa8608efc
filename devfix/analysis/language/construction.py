"""Making objects of the project's classes, and ``super()`` inside of them."""

from __future__ import annotations

import ast
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_values
from devfix.analysis.domain.values import (
    UNKNOWN,
    Class,
    Const,
    Function,
    Obj,
    Ref,
    SuperValue,
    Tensor,
    TupleValue,
    Value,
)
from devfix.analysis.language import declared_fields, named_tuples, parameters
from devfix.analysis.language.frames import Arg, CallSite, Frame
from devfix.analysis.nn.modules import external_bases, is_module_class
from devfix.analysis.text.syntax import called
from devfix.analysis.torch_model.modules import bases
from devfix.analysis.torch_model.python import exceptions, mappings

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def announce(interp: Interpreter, cls: Class, keywords: list[ast.keyword]) -> None:
    """A class that was just made is told to the ``__init_subclass__`` of those above it."""
    hook = classes.find_after(interp, cls, cls, "__init_subclass__")
    if not isinstance(hook, Function):
        return
    place = ast.copy_location(ast.Constant(None), cls.node)
    given = {each.arg: Arg(interp.eval(each.value), each.value) for each in keywords if each.arg is not None}
    given.pop("metaclass", None)
    interp.call_function(hook, [cls], place, CallSite(place, keywords=given))


def meet_metaclass(interp: Interpreter, cls: Class, keywords: list[ast.keyword]) -> None:
    """A class that was just made is what the ``__new__`` and ``__init__`` of its metaclass have to do with."""
    for each in keywords:
        if each.arg == "metaclass":
            interp.state.set(cls.frame, classes.METACLASS, interp.eval(each.value))
    metaclass = classes.find(interp, cls, classes.METACLASS)
    if not isinstance(metaclass, Class):
        return
    names = {name: value for name, value in interp.state.variables(cls.frame).items() if ":" not in name}
    namespace = interp.new(Obj("dict", attrs=names, facts={_MADE: cls}))
    place = ast.copy_location(ast.Constant(None), cls.node)
    given = (Arg(Const(cls.node.name)), Arg(TupleValue(cls.bases)), Arg(namespace))
    for name, first in (("__new__", metaclass), ("__init__", cls)):
        method = classes.find(interp, metaclass, name)
        if isinstance(method, Function):
            interp.call_function(method, [first], place, CallSite(place, given))


#: The fact of a namespace that says of which class it is.
_MADE = "class"


def of_metaclass(interp: Interpreter, site: CallSite) -> Value:
    """``super().__new__(metaclass, name, bases, namespace)``: the class, which has been made already."""
    namespace = interp.obj_of(site.value(3, "namespace"))
    return namespace.facts.get(_MADE, UNKNOWN) if namespace is not None else UNKNOWN


def of_super(interp: Interpreter, site: CallSite) -> Value:
    """``super().__new__(cls)``, or that of a metaclass."""
    cls = site.value(0)
    if isinstance(cls, Class):
        named = named_tuples.new(interp, cls, replace(site, args=site.args[1:]))
        if named is not None or len(site.args) < _OF_METACLASS:
            return named or bare(interp, cls, site)
    return of_metaclass(interp, site)


#: So many arguments the ``__new__`` of a metaclass has: itself, a name, bases and a namespace.
_OF_METACLASS = 4


_NAMED_TUPLE = "typing.NamedTuple"
#: Bases whose subclasses have a generated ``__init__`` that takes their annotated fields.
_WITH_FIELDS = frozenset(
    {_NAMED_TUPLE, "pydantic.BaseModel", "pydantic.main.BaseModel", "pydantic_settings.BaseSettings",
     "pydantic.BaseSettings", "msgspec.Struct"}
)  # fmt: skip


def instantiate(interp: Interpreter, cls: Class, site: CallSite) -> Value:
    """``cls(...)``: a new object, or what the ``__call__`` of its metaclass gives."""
    metaclass = classes.find(interp, cls, classes.METACLASS)
    made_by = classes.find(interp, metaclass, "__call__") if isinstance(metaclass, Class) else None
    if not isinstance(made_by, Function):
        return made(interp, cls, site)
    begin = interp.fresh()
    given = interp.call_function(made_by, [cls], site.node, site)
    obj = interp.obj_of(given)
    if isinstance(given, Ref) and obj is not None and given.address > begin and obj.cls == cls:
        # Who writes the class's name makes the object, wherever that is done.
        interp.update(given, replace(obj, trail=(interp.site("module", site.node),)))
    return given


def made(interp: Interpreter, cls: Class, site: CallSite) -> Value:
    """A new object, initialised by the first ``__init__`` along its classes."""
    if not is_module_class(interp, cls):
        interp.recorder.things[site.node] = interp.frame.path
    special = bases.special_instance(interp, cls, site)
    if special is not None:
        return special
    ref = _allocated(interp, cls, site)
    if not isinstance(ref, Ref):
        return ref
    if initialise_fields(interp, classes.linearise(cls), ref, site):
        return ref
    init = classes.find(interp, cls, "__init__")
    if isinstance(init, Function):
        interp.call_function(init, [ref], site.node, site)
    elif not _WITH_FIELDS.isdisjoint(external_bases(interp, cls)):
        _fill_fields(interp, cls, ref, site)
    else:
        bases.initialise(interp, ref, cls, site)
    return ref


def _allocated(interp: Interpreter, cls: Class, site: CallSite) -> Value:
    """What ``__new__`` of the class gives, which may be an object that was there before, or a tensor; else a new object."""
    new = classes.find(interp, cls, "__new__")
    given = interp.call_function(new, [cls], site.node, site) if isinstance(new, Function) else UNKNOWN
    obj = interp.obj_of(given)
    if isinstance(given, Tensor) or (obj is not None and obj.cls == cls):
        return given
    named = named_tuples.new(interp, cls, site) if not isinstance(new, Function) else None
    return named or _new(interp, cls, site)


def _new(interp: Interpreter, cls: Class, site: CallSite) -> Ref:
    held = mappings.with_own_entries(interp, cls)
    made = interp.new(Obj("instance", cls, attrs=held, trail=(interp.site("module", site.node),)))
    if any(map(exceptions.describes, external_bases(interp, cls))):
        exceptions.keep(interp, made, site)
    return made


def bare(interp: Interpreter, cls: Class, site: CallSite) -> Value:
    """``cls.__new__(cls)``: an object that was never initialised."""
    if not site.args or site.args[0].value != cls:
        return UNKNOWN
    special = bases.special_instance(interp, cls, CallSite(site.node))
    return special or _new(interp, cls, site)


def initialise_fields(interp: Interpreter, order: list[Class], ref: Ref, site: CallSite) -> bool:
    """The generated ``__init__`` of a dataclass, where none comes before it in the order of lookup; whether one was there."""
    generated = classes.with_generated_init(interp, order)
    if generated is not None:
        _fill_fields(interp, generated, ref, site)
    return generated is not None


def _fill_fields(interp: Interpreter, cls: Class, ref: Ref, site: CallSite) -> None:
    """The generated ``__init__`` of a dataclass or named tuple."""
    obj = interp.obj(ref)
    attrs = dict(obj.attrs)
    fields = classes.fields(cls)
    given = {field.name: place for place, field in enumerate(each for each in fields if each.is_given)}
    for field in fields:
        arg = site.get(given[field.name], field.name) if field.name in given else None
        maker = classes.find(interp, cls, field.maker) if arg is None and field.maker else None
        if arg is not None:
            value = arg.value
            if field.name in site.at_times and field.default is not None:
                value = join_values(_default(interp, cls, field, field.default), value)
        elif isinstance(maker, Function):
            interp.update(ref, replace(obj, attrs=attrs))  # it may look at the fields before
            value = interp.call_function(maker, [ref], site.node)
            obj = interp.obj(ref)
            attrs = dict(obj.attrs)
        elif field.default is not None:
            value = _default(interp, cls, field, field.default)
            value = parameters.unless_told(interp, value, field.name) if site.spread else value
        else:
            value = UNKNOWN
        attrs[field.name] = value
    row = _NAMED_TUPLE in external_bases(interp, cls)
    items = tuple(attrs[field.name] for field in fields) if row else obj.items
    passed = tuple(Arg(attrs.pop(field.name)) for field in fields if field.is_passed_on)
    interp.update(ref, replace(obj, attrs=attrs, items=items))
    own = obj.cls if isinstance(obj.cls, Class) else cls
    post = classes.find(interp, own, "__post_init__")
    if isinstance(post, Function):
        interp.call_function(post, [ref], site.node, CallSite(site.node, passed))


def _default(interp: Interpreter, cls: Class, field: classes.Field, default: ast.expr) -> Value:
    """A field's default: the class attribute, or what ``field(default…=…)`` gives, or one of ``attrs``."""
    if isinstance(default, ast.Call):
        for keyword in default.keywords:
            factory = _in_factory(keyword.value) if keyword.arg == "default" else None
            if factory is not None:
                with body_of(interp, field.owner):
                    return interp.call(interp.eval(factory), CallSite(default))
            if keyword.arg == "default":
                with body_of(interp, field.owner):
                    return interp.eval(keyword.value)
            if keyword.arg in ("default_factory", "factory"):
                with body_of(interp, field.owner):
                    return interp.call(interp.eval(keyword.value), CallSite(default))
    told = declared_fields.of(interp, field)
    if told is not None and "default_factory" in told.attrs:  # a function of the project says so
        return interp.call(told.attrs["default_factory"], CallSite(default))
    return classes.find(interp, cls, field.name) or UNKNOWN


def _in_factory(node: ast.expr) -> ast.expr | None:
    """What ``attrs`` calls for ``Factory(made)``."""
    if not isinstance(node, ast.Call) or called(node) != "Factory":
        return None
    return node.args[0] if len(node.args) == 1 and not node.keywords else None


def body_of(interp: Interpreter, cls: Class) -> AbstractContextManager[Frame]:
    """What is written in the body of a class means what its names mean there."""
    parent, module = interp.parents.get(cls.frame), interp.outermost(cls.frame)
    return interp.entered(Frame(cls.frame, cls.path, cls.scope, "class", parent, module, owner=cls))


def zero_argument_super(interp: Interpreter) -> Value:
    """``super()``: needs the class the running method was defined in, and its receiver."""
    for frame in reversed(interp.stack):
        if frame.owner is not None and frame.kind == "function" and frame.receiver is not None:
            return SuperValue(frame.owner, frame.receiver)
        if frame.kind == "module":
            break
    return UNKNOWN
