"""Receivers: the objects on which methods are interpreted that nobody calls."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from devfix.analysis.deciding import switches
from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import UNKNOWN_DEVICE, same_as
from devfix.analysis.domain.values import (
    UNKNOWN,
    Class,
    Function,
    Obj,
    Ref,
    Scalar,
    Tensor,
    Value,
    members,
)
from devfix.analysis.language import construction, containers
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn.modules import has_strange_base, havoc, is_module, transform_one, tree
from devfix.analysis.nn.reach import HOLDERS
from devfix.analysis.record.recorder import MODULE_TOKEN
from devfix.analysis.text import moved_parts, own_attributes
from devfix.analysis.text.syntax import remembered, speaks, speaks_of, walk
from devfix.analysis.torch_model.tensors.arguments import names_host
from devfix.analysis.torch_model.training import optim, param_groups

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.source import Source

_Method = ast.FunctionDef | ast.AsyncFunctionDef
_METHODS = (ast.FunctionDef, ast.AsyncFunctionDef)


def make(interp: Interpreter, cls: Class, site: CallSite) -> Value:
    """An object made with unknown arguments, some time later.

    The parameters of a module are on one device, which nobody here decides. What other methods
    than the constructor assign may have changed.
    """
    constructor = classes.find(interp, cls, "__init__")
    site = replace(site, keywords=undecided(interp, constructor) | site.keywords)
    with interp.recorder.mute():
        made = construction.instantiate(interp, cls, site)
    interp.finish()
    interp.state.dead = False
    if not isinstance(made, Ref):
        return made
    if is_module(interp, made):
        for part in tree(interp, made):
            brings = _brings_its_own(interp, interp.obj(part))
            transform_one(interp, part, _anywhere if brings else _on_module_device)
            # Whoever calls it may be training or evaluating.
            interp.update(part, _later(interp, interp.obj(part)).with_fact("training", Scalar("bool")))
    else:
        interp.update(made, _later(interp, interp.obj(made)))
        if has_strange_base(interp, cls):
            havoc(interp, made)
            _forget_parameters(interp, made)
        if optim.is_optimizer(interp, made):
            # They are those of a module, and where that is.
            parameter = Tensor(same_as(MODULE_TOKEN), grad=True, leaf=True, parameter=True)
            param_groups.given(interp, interp.obj(made).attrs.get("param_groups"), parameter)
    _forget_moved(interp, cls, made)
    return made


def _forget_parameters(interp: Interpreter, made: Ref) -> None:
    """The parameters that an object holds, which is a module if what nobody knows above it is one, may have been moved."""
    obj = interp.obj(made)
    attrs = {
        name: _anywhere(value) if isinstance(value, Tensor) and value.parameter else value
        for name, value in obj.attrs.items()
    }
    interp.update(made, replace(obj, attrs=attrs))


def _forget_moved(interp: Interpreter, cls: Class, made: Ref) -> None:
    """What a method moves that the object (or its class) holds may have been moved when another one is called.

    What a module has registered is where the module is, whoever moves it.
    """
    attrs = interp.obj(made).attrs
    beside = _beside_module(interp, attrs) if is_module(interp, made) else None
    if beside is not None and not beside:
        return
    for part in classes.linearise(cls):
        for name in moved_parts.of(part.node):
            value = attrs.get(name) or interp.state.get(part.frame, name)
            if isinstance(value, HOLDERS) and (beside is None or name in beside):
                havoc(interp, value)
                _forget_drawn(interp, value)


def _beside_module(interp: Interpreter, attrs: Mapping[str, Value]) -> frozenset[str]:
    """The attributes of a module that hold modules, or distributions, which it does not register."""
    return frozenset(
        name
        for name, value in attrs.items()
        if isinstance(value, Ref) and not is_module(interp, value) and _has_place(interp, interp.obj(value))
    )


def _has_place(interp: Interpreter, obj: Obj) -> bool:
    if obj.kind == "external":
        return obj.place is not None
    return any(is_module(interp, member) for part in containers.everything(obj) for member in members(part))


def _forget_drawn(interp: Interpreter, value: Value) -> None:
    """A distribution whose parameters may have been moved draws there."""
    obj = interp.obj_of(value)
    if isinstance(value, Ref) and obj is not None and obj.kind == "external" and obj.place is not None:
        interp.update(value, replace(obj, place=_anywhere(obj.place)))


def undecided(interp: Interpreter, function: Value | None) -> dict[str, Arg]:
    """The arguments that choose the CPU unless a caller says otherwise: nobody knows what callers say.

    Everything else is taken to be what its default says, and an accelerator as well.
    """
    if not isinstance(function, Function) or not function.defaults:
        return {}
    found = {name: Arg(UNKNOWN) for name, default in function.defaults if names_host(default)}
    return found | {name: Arg(value) for name, value in switches.of(interp, function)}


def _on_module_device(tensor: Tensor) -> Tensor:
    if tensor.device.kind != "cpu":
        return tensor
    return replace(tensor, device=same_as(MODULE_TOKEN))


def _anywhere(tensor: Tensor) -> Tensor:
    return replace(tensor, device=UNKNOWN_DEVICE)


def _brings_its_own(interp: Interpreter, obj: Obj) -> bool:
    """Whether the methods of a module bring its own tensors to the accelerator, to which it is then not moved."""
    if not isinstance(obj.cls, Class):
        return False
    sources = interp.program.sources
    above = classes.linearise(obj.cls)
    speaking = (part for part in above if speaks(sources[part.path], "cuda", part.node))
    brought = frozenset[str]().union(*(_brought(part.node) for part in speaking))
    return any(isinstance(obj.attrs.get(name), Tensor) for name in brought)


@remembered
def _brought(cls: ast.ClassDef) -> frozenset[str]:
    """The attributes that methods bring where they use them: ``conv(x, self.basis.cuda())``."""
    moved = (
        node.func.value
        for method in _methods(cls)
        if method.name != "__init__"
        for node in walk(method)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "cuda"
    )
    named = (node for value in moved for node in walk(value))
    return frozenset(
        node.attr
        for node in named
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    )


def _later(interp: Interpreter, obj: Obj) -> Obj:
    return own_attributes.without(obj, _changing(interp, obj.cls)) if isinstance(obj.cls, Class) else obj


def _changing(interp: Interpreter, cls: Class) -> frozenset[str]:
    """The attributes that methods of a class, or of one above it, assign once an object is made."""
    known = interp.library.reassigned.get(cls.frame)
    if known is None:
        above = classes.linearise(cls)
        known = interp.library.reassigned[cls.frame] = frozenset[str]().union(
            *(_reassigned(part.node, interp.program.sources[part.path]) for part in above)
        )
    return known


def _methods(cls: ast.ClassDef) -> list[_Method]:
    return [node for node in cls.body if isinstance(node, _METHODS)]


def _reassigned(cls: ast.ClassDef, source: Source) -> frozenset[str]:
    """The attributes that methods assign once the object is made."""
    helpers = construction_helpers(cls, source)
    late = (m for m in _methods(cls) if m.name != "__init__" and m.name not in helpers)
    return frozenset[str]().union(*(own_attributes.assigned_by(method) for method in late))


def construction_helpers(cls: ast.ClassDef, source: Source) -> frozenset[str]:
    """The methods that the constructor uses and no other method does: they see the object half made."""
    methods = _methods(cls)
    made_by = (method for method in methods if method.name == "__init__")
    early = frozenset[str]().union(*(own_attributes.named_by(method) for method in made_by))
    helpers = early.intersection(method.name for method in methods)
    words = tuple(helpers)
    late = (method for method in methods if method.name != "__init__")
    naming = (method for method in late if words and speaks_of(source, words, method, method))
    return helpers.difference(*map(own_attributes.named_by, naming))
