"""Discarding: what throwing a value away means, where it is a moved copy that somebody meant to keep."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import CPU
from devfix.analysis.domain.values import Class, Const, Obj, Ref, Tensor, TupleValue, Value, members
from devfix.analysis.language import iteration, named_tuples
from devfix.analysis.language.rebinding import frame_of, rebind
from devfix.analysis.nn import modules
from devfix.analysis.record.notes import note_attribute, note_binding
from devfix.analysis.text import attributes_by_name
from devfix.analysis.text.scope_names import is_used_after
from devfix.analysis.text.syntax import entry_of_items, spelt
from devfix.analysis.torch_model.tensors import moves, operand_types

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.findings import Origin

#: The kinds of objects of which a project's own function may make a moved copy.
_BATCHES = ("instance", "dict")


def discard(interp: Interpreter, node: ast.Expr, value: Value) -> None:
    """An expression statement: a tensor's move whose result is thrown away leaves a trace.

    The tensor itself is unchanged; its trail remembers that somebody meant to move it. A module is moved.
    """
    if isinstance(node.value, ast.Tuple) and isinstance(value, TupleValue):
        for part, made in zip(node.value.elts, value.items, strict=False):
            _discard(interp, node, part, made)
    else:
        _discard(interp, node, node.value, value)


def _discard(interp: Interpreter, node: ast.Expr, call: ast.expr, value: Value) -> None:
    if not isinstance(call, ast.Call):
        return
    if isinstance(value, Ref):
        _discard_copy(interp, call, value)
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in moves.METHODS:
        return
    receiver = call.func.value
    if isinstance(value, Tensor):
        _mark_attribute(interp, node, receiver, value)
        _discard_move(interp, node, receiver, value)
    elif isinstance(receiver, (ast.Name, ast.Attribute)):
        _note_moved_module(interp, node, receiver, value)


def _note_moved_module(
    interp: Interpreter, node: ast.Expr, receiver: ast.Name | ast.Attribute, value: Value
) -> None:
    """A module, whichever of several it is, moves in place: the statement is one of those that give its name what it has."""
    if not all(modules.is_module(interp, member) for member in members(value)):
        return
    if isinstance(receiver, ast.Attribute):
        holder = interp.obj_of(interp.eval(receiver.value)) if isinstance(receiver.value, ast.Name) else None
        if holder is not None and isinstance(holder.cls, Class):
            note_attribute(interp, classes.linearise(holder.cls), receiver.attr, value, node)
    else:
        frame = frame_of(interp, receiver.id)
        scope = "" if frame == interp.frame.module else interp.frame.scope
        if frame in (interp.frame.id, interp.frame.module):
            note_binding(interp, interp.frame.path, scope, receiver.id, value, node)


def _discard_move(interp: Interpreter, node: ast.Expr, receiver: ast.expr, value: Tensor) -> None:
    if not isinstance(receiver, (ast.Name, ast.Attribute, ast.Subscript)):
        return
    before = _moved_from(interp, receiver, value)
    if before is None or _is_of_frozen(interp, receiver):
        return
    site = interp.site("discarded-move", node)
    if isinstance(receiver, ast.Subscript):
        _mark_entry(interp, receiver.value, receiver.slice, site)
        return
    rebind(interp, receiver, before.at(site))
    if isinstance(receiver, ast.Name):
        entry = entry_of_items(_loop_of(interp, receiver.id), receiver.id)
        if entry is not None:
            _mark_entry(interp, *entry, site)


def _is_of_frozen(interp: Interpreter, receiver: ast.expr) -> bool:
    obj = interp.obj_of(interp.eval(receiver.value)) if isinstance(receiver, ast.Attribute) else None
    return obj is not None and is_frozen(interp, obj.cls)


def lose(interp: Interpreter, node: ast.Assign, value: Value) -> None:
    """``entry = entry.to(device)`` in a loop that names the entries of a dict: the copy is lost where nothing uses the name after."""
    call, target = node.value, node.targets[0]
    if not isinstance(value, Tensor) or not isinstance(call, ast.Call) or not isinstance(target, ast.Name):
        return
    func, loop = call.func, _loop_of(interp, target.id)
    if not isinstance(func, ast.Attribute) or func.attr not in moves.METHODS or len(node.targets) > 1:
        return
    entry = entry_of_items(loop, target.id)
    if (
        entry is None
        or loop is None
        or loop is not interp.frame.loops[-1].node  # the next round of an inner one uses the name
        or ast.unparse(func.value) != target.id
        or is_used_after(loop, node, target.id)
    ):
        return
    if _moved_from(interp, target, value) is not None:
        _mark_entry(interp, *entry, interp.site("discarded-move", call))


def _moved_from(interp: Interpreter, name: ast.expr, moved: Tensor) -> Tensor | None:
    """The tensor of which a copy is elsewhere, or of another type."""
    before = operand_types.tensor_of(interp, interp.eval(name))
    if not isinstance(before, Tensor) or (before.device == moved.device and before.dtype == moved.dtype):
        return None
    return before


def _mark_attribute(interp: Interpreter, node: ast.Expr, receiver: ast.expr, moved: Tensor) -> None:
    """The attribute remembers that a loop over the names of attributes meant to move it."""
    loop = interp.frame.loops[-1].node if interp.frame.loops else None
    read = attributes_by_name.moved_in_vain(loop, node)
    owner = interp.eval(read.owner) if read is not None else None
    obj = interp.obj_of(owner)
    if read is None or not isinstance(owner, Ref) or obj is None or obj.kind != "instance":
        return
    name, before = interp.eval(read.name), operand_types.tensor_of(interp, interp.eval(receiver))
    if not isinstance(name, Const) or not isinstance(name.value, str) or not isinstance(before, Tensor):
        return
    if before.parameter or is_frozen(interp, obj.cls):
        return  # what cannot be set has another way to move
    if obj.attrs.get(name.value) == before and (before.device, before.dtype) != (moved.device, moved.dtype):
        marked = before.at(interp.site("discarded-move", node))
        interp.update(owner, replace(obj, attrs={**obj.attrs, name.value: marked}))


def is_frozen(interp: Interpreter, cls: Value) -> bool:
    """Whether objects of a class refuse to have attributes set: ``@dataclass(frozen=True)``, ``@attrs.frozen``, a NamedTuple."""
    linear = classes.linearise(cls) if isinstance(cls, Class) else []
    decorators = [each for part in linear for each in part.node.decorator_list]
    told = [keyword for each in decorators if isinstance(each, ast.Call) for keyword in each.keywords]
    if any(keyword.arg == "frozen" for keyword in told):
        return True
    by_name = any(
        spelt(each.func if isinstance(each, ast.Call) else each).rpartition(".")[2] == "frozen"
        for each in decorators
    )
    return by_name or bool(named_tuples.fields_of(interp, cls))


def _discard_copy(interp: Interpreter, call: ast.Call, copy: Ref) -> None:
    """A project's own way to move a batch gave a moved copy of it: what is left in the batch was to move."""
    after = interp.obj_of(copy)
    if after is None or after.kind not in _BATCHES:
        return
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
    for about in (receiver, *call.args[:1]):
        held = interp.eval(about) if isinstance(about, (ast.Name, ast.Attribute)) else None
        before = interp.obj_of(held)
        if about is None or not isinstance(held, Ref) or held == copy or before is None:
            continue
        moved = _parts_moved(before, after)
        if moved and not _stays_in_list(interp, about):
            site = interp.site("discarded-copy", about)
            marked = {name: part.at(site) for name, part in moved.items()}
            interp.update(held, replace(before, attrs={**before.attrs, **marked}))
            return


def _parts_moved(before: Obj, after: Obj) -> dict[str, Tensor]:
    """The tensors of an object that lie on the accelerator in another of its class, which has all that it has."""
    if before.kind != after.kind or not _of_one_class(before, after):
        return {}
    moved = {}
    for name, part in before.attrs.items():
        other = after.attrs.get(name)
        if isinstance(part, Tensor) and isinstance(other, Tensor) and part.dtype == other.dtype:
            if part.device == CPU and other.device.is_accelerator:
                moved[name] = part
        elif other != part:
            return {}
    return moved


def _of_one_class(a: Obj, b: Obj) -> bool:
    if isinstance(a.cls, Class) and isinstance(b.cls, Class):
        return a.cls.node is b.cls.node
    return a.kind == "dict" and a.cls == b.cls


def _stays_in_list(interp: Interpreter, receiver: ast.expr) -> bool:
    """Whether a loop names what stays in a list: a name that is bound to a copy leaves the list as it is."""
    if not isinstance(receiver, ast.Name):
        return False
    loop = _loop_of(interp, receiver.id)
    obj = interp.obj_of(interp.eval(loop.iter)) if loop is not None else None
    return obj is not None and obj.kind == "list"


def _loop_of(interp: Interpreter, name: str) -> ast.For | ast.AsyncFor | None:
    """The innermost loop that gives a name its values."""
    return next((loop.node for loop in reversed(interp.frame.loops) if name in loop.names), None)


def _mark_entry(interp: Interpreter, container: ast.expr, key: ast.expr, site: Origin) -> None:
    """The entry of a dict or list remembers that somebody meant to move it; all do when nobody knows which."""
    name = iteration.dict_key(interp.eval(key))
    for ref in members(interp.eval(container)):
        obj = interp.obj_of(ref)
        if isinstance(ref, Ref) and obj is not None and obj.kind in ("dict", "list"):
            interp.update(ref, _marked(obj, name, site))


def _marked(obj: Obj, name: str | None, site: Origin) -> Obj:
    attrs = {
        entry: value.at(site) if isinstance(value, Tensor) and name in (None, entry) else value
        for entry, value in obj.attrs.items()
    }
    items = obj.items and tuple(
        value.at(site) if isinstance(value, Tensor) and name in (None, f"#{number}") else value
        for number, value in enumerate(obj.items)
    )
    element = obj.element.at(site) if isinstance(obj.element, Tensor) else obj.element
    return replace(obj, attrs=attrs, items=items, element=element)
