"""Reflection: attributes by computed names, and an object's attributes as a dict."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix import dynamic_imports
from devfix.analysis.domain import classes
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.lattice import DTYPES
from devfix.analysis.domain.values import (
    FALSE,
    NONE,
    UNKNOWN,
    Class,
    Const,
    DTypeValue,
    External,
    ExternalMethod,
    Function,
    Namespace,
    Obj,
    Ref,
    Scalar,
    Tensor,
    Union,
    Unknown,
    Value,
    usual_value,
    without_none,
)
from devfix.analysis.language import (
    cached_properties,
    fitting,
    given_namespaces,
    keeping,
    own_setters,
    text_keys,
)
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import hidden_modules, modules
from devfix.analysis.nn.modules import is_module
from devfix.analysis.record import notes
from devfix.analysis.reuse import reads
from devfix.analysis.torch_model import names
from devfix.analysis.torch_model.modules.layer_specs import WEIGHTED
from devfix.analysis.torch_model.python import attribute_checks, environment

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


#: Of so many modules one may be meant.
_MOST_MODULES = 12


def namespace(interp: Interpreter, ref: Ref) -> Value:
    """``vars(x)``, ``x.__dict__``: a dict of the attributes; what is written to it goes to ``x``."""
    obj = interp.obj(ref)
    if obj.kind != "instance" and obj.cls != External("argparse.Namespace"):
        return UNKNOWN
    if given_namespaces.NAME in obj.attrs:
        return obj.attrs[given_namespaces.NAME]
    plain = {name: value for name, value in obj.attrs.items() if name.isidentifier()}
    if is_module(interp, ref):  # parameters, buffers and submodules are in dicts of their own
        plain = {
            name: value
            for name, value in plain.items()
            if hidden_modules.is_hidden(obj, name)
            or (
                not (name in obj.buffers or is_module(interp, value))
                and not (isinstance(value, Tensor) and value.parameter)
            )
        }
    element = UNKNOWN if is_module(interp, ref) else None
    return interp.new(Obj("dict", attrs=plain, element=element, facts={given_namespaces.NAMESPACE_OF: ref}))


#: What Python puts into the namespace of a class.
_OF_CLASSES = {"__module__": Scalar("str"), "__dict__": UNKNOWN, "__weakref__": UNKNOWN, "__doc__": UNKNOWN}


def namespace_of_class(interp: Interpreter, cls: Class) -> Value:
    """``vars(C)``, ``C.__dict__``: what the class itself has, which nobody writes to in this way."""
    own = interp.state.variables(cls.frame)
    attrs = {name: value for name, value in own.items() if name.isidentifier()}
    return interp.new(Obj("dict", attrs={**_OF_CLASSES, **attrs}))


def vars_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``vars(x)``: the attributes as a dict, and what is written to that of an object goes to it."""
    value = without_none(site.args[0].value) if site.args else None
    if isinstance(value, Class):
        return namespace_of_class(interp, value)
    return namespace(interp, value) if isinstance(value, Ref) else UNKNOWN


def getattr_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``getattr``: an attribute by a name that is known, or usual where an option gives it.

    Of a module of the project whose name nobody knows it is any of what could be meant. The default counts only
    where the attribute is known to be missing.
    """
    attribute = site.value(1)
    owner = without_none(site.args[0].value) if site.args else UNKNOWN
    if isinstance(attribute, Scalar) and attribute.usual in DTYPES and owner == External("torch"):
        return DTypeValue(str(attribute.usual), of_torch=True)  # an option that names a dtype
    if (
        isinstance(attribute, Scalar)
        and isinstance(owner, External)
        and _is_one_of_many(owner, attribute.usual)
    ):
        attribute = Const(attribute.usual)  # an option that names a layer, an optimizer or an activation
    if isinstance(attribute, Scalar) and isinstance(owner, Namespace) and isinstance(attribute.usual, str):
        attribute = Const(attribute.usual)  # or something of the project
    if owner == External("torch.nn") and not isinstance(attribute, Const):
        attribute = _of_two_dimensions(site.get(1)) or attribute
    if isinstance(owner, Namespace) and not _is_there(interp, owner, attribute):
        return _any_of(interp, owner)
    if not isinstance(attribute, Const) or not isinstance(attribute.value, str):
        return _any_part(interp, owner, site)
    if _is_nameless(interp, owner, attribute.value):
        return _any_part(interp, owner, site)
    if (numbered := _numbered(interp, owner, attribute.value)) is not None:
        return numbered
    default = site.value(2)
    if default is not None and attribute_checks.hasattr_(interp, name, site) == FALSE:
        return default
    found = interp.attribute(owner, attribute.value, site.node)
    unsure = default is not None and isinstance(found, (Unknown, ExternalMethod))
    return _by_default(interp, owner, default) if unsure else found


def _numbered(interp: Interpreter, owner: Value, name: str) -> Value | None:
    """``getattr(layers, "3")``: the children of a ``Sequential`` or ``ModuleList`` are named by their numbers."""
    obj = interp.obj_of(owner)
    if obj is None or obj.kind != "module" or not name.isdecimal() or name in obj.attrs:
        return None
    items = obj.items or ()
    return items[int(name)] if int(name) < len(items) else obj.element


def _by_default(interp: Interpreter, owner: Value, default: Value | None) -> Value:
    """What options of which not all are known have under a name: the accelerator, where that stands beside it."""
    if default is None or not environment.are_options(interp, owner):
        return UNKNOWN
    return environment.instead(default)


def chosen(interp: Interpreter, entries: External, node: ast.Subscript) -> Value:
    """``torchvision.models.__dict__[name]``: what a package calls so."""
    owner = External(entries.name.removesuffix(".__dict__"))
    asked = (Arg(owner, node.value), Arg(interp.eval(node.slice), node.slice))
    return getattr_(interp, "builtins.getattr", CallSite(node, asked))


def _is_nameless(interp: Interpreter, owner: Value, name: str) -> bool:
    """Whether an object was given parts under names that nobody knows, of which this can only be one."""
    obj = interp.obj_of(owner)
    if obj is None or name in obj.attrs or not any(each.startswith(_NAMELESS) for each in obj.attrs):
        return False
    return not isinstance(obj.cls, Class) or classes.find(interp, obj.cls, name) is None


def _any_part(interp: Interpreter, owner: Value, site: CallSite) -> Value:
    """``getattr(self, f"step_{phase}")``: any of the attributes whose names begin and end so."""
    obj = interp.obj_of(owner)
    asked = site.get(1)
    begin, end = _ends_of_name(interp, asked) if asked is not None else ("", "")
    if obj is None or not isinstance(owner, Ref) or not (begin or end):
        return UNKNOWN
    cls = obj.cls if isinstance(obj.cls, Class) else None
    methods = (
        [] if cls is None else [n for c in classes.linearise(cls) for n in interp.state.variables(c.frame)]
    )
    fitting = [n for n in dict.fromkeys((*obj.attrs, *methods)) if n.startswith(begin) and n.endswith(end)]
    stored = [n for n in obj.attrs if n.startswith(_NAMELESS)]  # under such a name
    if stored:  # a number that is called alike counts them
        fitting = [n for n in fitting if not isinstance(obj.attrs.get(n), (Const, Scalar, Unknown, External))]
    fitting += stored
    found = [
        obj.attrs[n] if n in obj.attrs else interp.attribute(owner, n, site.node)
        for n in fitting
        if n.isidentifier() or n in obj.attrs
    ]
    return join_all(found[:_MOST_PARTS]) if found else UNKNOWN


def _ends_of_name(interp: Interpreter, asked: Arg) -> tuple[str, str]:
    """What a name that is put together begins with, and ends with: as it was made, is written, or by what a variable holds."""
    if isinstance(asked.value, Scalar) and asked.value.ends != ("", ""):
        return asked.value.ends
    begin, end = text_keys.ends_of_text(asked.node)
    first = _first_part(asked.node)
    if not begin and isinstance(first, (ast.Name, ast.Attribute)):
        value = interp.eval(first)
        begin = value.value if isinstance(value, Const) and isinstance(value.value, str) else ""
    return begin, end


def _first_part(node: ast.expr | None) -> ast.expr | None:
    """What a text that is put together begins with."""
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        node = node.left
    if isinstance(node, ast.JoinedStr) and node.values:
        node = node.values[0]
        return node.value if isinstance(node, ast.FormattedValue) and node.format_spec is None else None
    return node


#: Under such names an object keeps what it was given under names that nobody knows.
_NAMELESS = "child "
#: Of more parts than this that a name may mean the first stand for all.
_MOST_PARTS = 8


def _is_there(interp: Interpreter, owner: Namespace, attribute: Value | None) -> bool:
    """Whether a name is known, and what a module of the project calls something."""
    name = attribute.value if isinstance(attribute, Const) else None
    return isinstance(name, str) and fitting.is_in_module(interp, owner, name)


def _any_of(interp: Interpreter, owner: Namespace) -> Value:
    """What a module of the project holds to be chosen by name: any of its classes, or of its configurations."""
    held = reads.all_of(interp, interp.module_frame(owner.path)).values()
    found: tuple[Value, ...] = tuple(dict.fromkeys(value for value in held if isinstance(value, Class)))
    found = found or tuple(dict.fromkeys(value for value in held if _is_configuration(interp, value)))
    return found[0] if len(found) == 1 else Union(found) if found else UNKNOWN


def _is_configuration(interp: Interpreter, value: Value) -> bool:
    """Whether a value is a dict whose entries have names and are known."""
    obj = interp.obj_of(value)
    return obj is not None and obj.kind == "dict" and obj.element is None and bool(obj.attrs)


#: Packages whose classes, or functions, are chosen by name, one being used like the other.
_PACKAGES_OF_CLASSES = ("torch.nn", "torch.optim", "torchvision.datasets")
_PACKAGES_OF_FUNCTIONS = ("torch", "torch.nn.functional", "torchvision.models")


def _is_one_of_many(owner: External, name: object) -> bool:
    packages = _PACKAGES_OF_CLASSES if str(name)[:1].isupper() else _PACKAGES_OF_FUNCTIONS
    return isinstance(name, str) and owner.name in packages


def _of_two_dimensions(asked: Arg | None) -> Const | None:
    """In ``getattr(nn, f"Conv{n}d")`` the name of the layer for two dimensions, where there is one for each number of them."""
    begin, end = text_keys.ends_of_text(asked.node) if asked is not None else ("", "")
    alike = begin and end == "d" and all(f"{begin}{number}d" in WEIGHTED for number in (1, 2, 3))
    return Const(f"{begin}2d") if alike else None


def setattr_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``setattr``: the attribute is set; under an unknown name it may be any."""
    attribute, value = site.value(1), site.value(2)
    owner = _one_model(interp, without_none(site.args[0].value)) if site.args else None
    known = attribute.value if isinstance(attribute, Const) else None
    known = known if isinstance(known, str) else None
    if value is not None and isinstance(owner, Class):
        _set_of_class(interp, owner, known, value)
    elif value is not None and isinstance(owner, Ref):
        if (
            name != "__setattr__"
            and known is not None
            and _is_set_by_class(interp, owner, known, value, site)
        ):
            return NONE
        keeping.store(interp, owner, known, _stored(interp, owner, known, value, site))
    return NONE


def _one_model(interp: Interpreter, owner: Value) -> Value:
    """The model, where it is that or some part of it that nobody knows, as a library's has: what either gets is the model's."""
    several = owner.members if isinstance(owner, Union) else ()
    found = [obj for member in several if (obj := interp.obj_of(member)) is not None]
    if not any(isinstance(obj.cls, Unknown) for obj in found):
        return owner
    for member in several:
        if isinstance(member, Ref) and modules.is_module(interp, member):
            tree = modules.tree(interp, member)
            if all(other in tree for other in several):
                return member
    return owner


def _set_of_class(interp: Interpreter, cls: Class, name: str | None, value: Value) -> None:
    if name is not None:
        interp.assign(cls.frame, name, value)
        return
    own = interp.state.variables(cls.frame)
    for each in [each for each, held in own.items() if not isinstance(held, (Function, Class))]:
        interp.state.set(cls.frame, each, UNKNOWN)


def _is_set_by_class(interp: Interpreter, owner: Ref, name: str, value: Value, site: CallSite) -> bool:
    """Whether a property of the project is given what ``setattr`` sets, or a ``__setattr__`` keeps it under its name."""
    obj = interp.obj(owner)
    found = classes.find(interp, obj.cls, name) if isinstance(obj.cls, Class) else None
    if isinstance(found, Function) and found.kind == "property" and isinstance(obj.cls, Class):
        own_setters.set_property(interp, obj.cls, owner, name, value, site.node)
        return True
    setter = own_setters.of(interp, obj, value)
    return setter is not None and own_setters.call(interp, setter, owner, name, value, site.node)


def _stored(interp: Interpreter, owner: Ref, name: str | None, value: Value, site: CallSite) -> Value:
    """``value`` as a module of the project keeps it: where it was stored is noted, by what is asked for where the name is unknown."""
    obj, asked = interp.obj(owner), site.get(1)
    if not isinstance(obj.cls, Class) or not is_module(interp, owner) or asked is None or asked.node is None:
        return value
    called = name if name is not None else interp.text(asked.node)
    found = ("tensor", value.device) if isinstance(value, Tensor) else ("other", None)
    for cls in classes.linearise(obj.cls):
        notes.note_summary(
            interp, cls.path, cls.scope, f"self.{called}", value, interp.frame.statement, found
        )
    if not isinstance(value, Tensor) or not isinstance(site.node, ast.expr):
        return value
    return keeping.stored(interp, owner, obj, called, value, site.node)


def set_hidden(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``object.__setattr__(module, "name", value)``: what a module is given past its own ``__setattr__``."""
    owner, attribute, value = site.value(0), site.value(1), site.value(2)
    known = attribute.value if isinstance(attribute, Const) else None
    if isinstance(owner, Ref) and value is not None:
        keeping.store_hidden(interp, owner, known if isinstance(known, str) else None, value, site.node)
    return NONE


def own_module(interp: Interpreter) -> Value:
    """``sys.modules[__name__]``; of a script that a module of it imports there are two."""
    path = interp.frame.path
    return Namespace(path) if interp.module_frame(path) == interp.frame.module else UNKNOWN


def _fitting(interp: Interpreter, call: ast.expr | None) -> Value:
    """One of the modules of the project that a name like the one it imports fits, unless they are very many."""
    named = dynamic_imports.of_call(call) if isinstance(call, ast.Call) and call.args else dynamic_imports.ANY
    paths = interp.program.fitting(interp.frame.path, named)
    if not 0 < len(paths) <= _MOST_MODULES:
        return UNKNOWN
    loaded = [interp.load_module(path) for path in paths]
    return loaded[0] if len(loaded) == 1 else Union(tuple(loaded))


def import_module(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``importlib.import_module("models." + args.model)``: as a run has it that is given no options.

    Without a default, or where the project has no module of that name, it may be any that a name like that fits.
    """
    asked = site.get(0, "name")
    known = usual_value(asked.value) if asked is not None else None
    if asked is None or known is None or not isinstance(known.value, str):
        return _fitting(interp, site.node)
    module = known.value.lstrip(".")
    level = len(known.value) - len(module)
    package = site.value(1, "package")
    if level == 1 and isinstance(package, Const) and package.value != "__main__":
        module, level = f"{package.value}.{module}", 0
    path = reads.resolve(interp, interp.frame.path, module, level)
    if path is not None:
        return interp.load_module(path, "" if level else module)
    other = UNKNOWN if isinstance(asked.value, Const) else _fitting(interp, site.node)
    return names.external(module) if other == UNKNOWN and not level else other


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "importlib.import_module": import_module,
    "builtins.getattr": getattr_,
    "builtins.setattr": setattr_,
    "builtins.delattr": cached_properties.delattr_,
    "builtins.object.__setattr__": set_hidden,
    "builtins.vars": vars_,
}
