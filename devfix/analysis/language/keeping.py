"""Keeping: how an object keeps what it is given as an attribute, by whatever way."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_values
from devfix.analysis.domain.lattice import UNKNOWN_DEVICE
from devfix.analysis.domain.values import Array, DeviceValue, Obj, Ref, Tensor, Value, members
from devfix.analysis.language import given_namespaces
from devfix.analysis.nn import hidden_modules
from devfix.analysis.nn.modules import UNMADE, is_module, somewhere
from devfix.analysis.record.trails import OF_OBJECT, extend
from devfix.analysis.torch_model.tensors import leaves
from devfix.findings import Origin

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Methods that build an object: what they store is part of it from the start.
CONSTRUCTORS = frozenset({"__init__", "__post_init__", "setup", "build"})


def stored(interp: Interpreter, ref: Ref, obj: Obj, name: str, value: Value, target: ast.expr) -> Value:
    """``value`` as it is kept in an attribute: its trail tells that it was stored there."""
    if isinstance(value, Tensor):
        if is_module(interp, ref):
            value = leaves.check_parameter(interp, value, target)
        else:
            value = leaves.held_beside(interp, value)
        plain = not value.parameter and name not in obj.buffers
        if plain and UNMADE in obj.facts:  # it may be a buffer, which moves with its module
            value = replace(value, device=UNKNOWN_DEVICE, dtype=None, split=None, paths=())
        if plain and is_being_built(interp, ref):
            return value.at(interp.site("module-attribute", target))
        kept = value.at(interp.site("attribute", target))
        first = _own_store(obj, name) if plain else None
        return kept.at(first) if first is not None and _is_part_of_unfinished(interp, ref) else kept
    if isinstance(value, Array):
        return replace(value, trail=extend(value.trail, interp.site("attribute", target)))
    if isinstance(value, DeviceValue) and value.roots and is_being_built(interp, ref):
        return _noted(interp, obj, value, target)
    for member in members(value):  # None or a list, say
        held = interp.obj_of(member)
        if (
            held is not None
            and isinstance(member, Ref)
            and held.kind in ("list", "dict", "module", "instance")
        ):
            kind = "module-attribute" if is_being_built(interp, ref) else "attribute"
            life = extend(held.trail, interp.site(kind, target), OF_OBJECT)
            interp.update(member, replace(held, trail=life))
    return value


def _noted(interp: Interpreter, obj: Obj, device: DeviceValue, target: ast.expr) -> DeviceValue:
    """The device of a module's own parameters, which its constructor notes: they move with the module, and the note tells where they were."""
    here = interp.site("attribute", target).scope
    own = [root for root in device.roots if root[:1] == obj.trail[:1] or (root and root[0].scope == here)]
    return replace(device, roots=()) if len(own) == len(device.roots) else device


def is_being_built(interp: Interpreter, ref: Ref) -> bool:
    """Whether an object is a module whose constructor (or what it calls) is running."""
    if not is_module(interp, ref):
        return False
    for frame in interp.stack:  # a generator takes longer than these few
        if frame.receiver == ref and frame.scope.rpartition(".")[2] in CONSTRUCTORS:
            return True
    return False


def _own_store(obj: Obj, name: str) -> Origin | None:
    """Where the constructor of a module made a tensor its attribute: as a buffer, it would be one ever after."""
    held = obj.attrs.get(name)
    sites = reversed(held.trail) if isinstance(held, Tensor) else ()
    last = next((site for site in sites if site.kind == "module-attribute"), None)
    return last if last is not None and last.text.rpartition(".")[2] == name else None


def _is_part_of_unfinished(interp: Interpreter, ref: Ref) -> bool:
    """Whether a module is a part of one whose constructor (or what it calls) is running."""
    around = {frame.receiver for frame in interp.stack if frame.scope.rpartition(".")[2] in CONSTRUCTORS}
    wholes = (interp.obj(each) for each in around if isinstance(each, Ref) and is_module(interp, each))
    return any(ref in whole.attrs.values() for whole in wholes)


def store_hidden(
    interp: Interpreter, owner: Ref, name: str | None, value: Value, node: ast.expr | None
) -> None:
    """An attribute that is put into ``__dict__``: no module registers what it holds there."""
    store_part(interp, owner, name, value, node)
    if name is not None and is_module(interp, owner):
        hidden_modules.hide(interp, owner, name)


def store_part(
    interp: Interpreter, owner: Ref, name: str | None, value: Value, node: ast.expr | None
) -> None:
    """An attribute that is put into one of the dicts in which an object has its attributes, or a module its submodules."""
    if name is not None and node is not None:
        value = stored(interp, owner, interp.obj(owner), name, value, node)
    store(interp, owner, name, value)


def store_parameter(
    interp: Interpreter, owner: Ref, name: str | None, value: Value, node: ast.expr | None
) -> None:
    """What is put into the dict in which a module has its parameters; without a name any of them may be the one."""
    if name is None:
        obj = interp.obj(owner)
        own = {n: held for n, held in obj.attrs.items() if isinstance(held, Tensor) and held.parameter}
        changed = {n: _perhaps(held, value) for n, held in own.items()}
        interp.update(owner, replace(obj, attrs={**obj.attrs, **changed}))
    store_part(interp, owner, name, value, node)


def store_buffer(
    interp: Interpreter, owner: Ref, name: str | None, value: Value, node: ast.expr | None
) -> None:
    """A tensor that is put into the dict in which a module has its buffers."""
    if name is not None:
        obj = interp.obj(owner)
        interp.update(owner, replace(obj, buffers=obj.buffers | {name}))
    store_part(interp, owner, name, value, node)


def store(interp: Interpreter, owner: Ref, name: str | None, value: Value) -> None:
    """The attribute ``name`` becomes ``value``; without a name any tensor may be the one."""
    obj = interp.obj(owner)
    if (entries := given_namespaces.of(interp, obj)) is not None:
        owner, obj = entries, interp.obj(entries)
    if name is not None:
        interp.update(owner, _with_part(obj, name, value))
        return
    module_part = is_module(interp, value) or (isinstance(value, Tensor) and value.parameter)
    if not module_part:
        changed = {n: _perhaps(held, value) for n, held in obj.attrs.items() if isinstance(held, Tensor)}
        obj = replace(obj, attrs={**obj.attrs, **changed})
    interp.update(owner, obj.with_attr(f"child {len(obj.attrs)}", value))


def _with_part(obj: Obj, name: str, value: Value) -> Obj:
    """The children of a ``Sequential`` or ``ModuleList`` are named by their numbers."""
    if obj.kind == "module" and obj.items is not None and name.isdecimal() and int(name) < len(obj.items):
        place = int(name)
        return replace(obj, items=(*obj.items[:place], value, *obj.items[place + 1 :]))
    return obj.with_attr(name, value)


def _perhaps(held: Value, value: Value) -> Value:
    """A tensor that may have been replaced by ``value``."""
    return join_values(held, value) if isinstance(value, Tensor) else somewhere(held)
