"""Lost items: what is moved one by one, and thrown away, stays where it is in the list, the dict, the tuple or the names it came from."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeGuard

from devfix.analysis.assumptions.discarding import is_frozen
from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import CPU
from devfix.analysis.domain.values import (
    UNKNOWN,
    Class,
    Obj,
    Ref,
    Tensor,
    TupleValue,
    Unknown,
    Value,
    members,
)
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.language.rebinding import rebind
from devfix.analysis.reuse import reads
from devfix.analysis.text.moving_loops import way_to_keep
from devfix.analysis.text.vain_moves import VainMove, places_in, vain_move
from devfix.analysis.torch_model.tensors import leaves, moves, operand_types
from devfix.analysis.torch_model.tensors.moves import Target
from devfix.origin_kinds import IN_DICT, IN_LIST, IN_TUPLE, IN_TURN

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.findings import Origin


#: How a list or a dict is given other items.
_STORING = ("__setitem__", "update")


def enter(interp: Interpreter, statement: ast.stmt) -> None:
    """What moves in vain begins: the kind of container it goes through is written down, as it may be another in other calls."""
    move = vain_move(statement)
    if move is None or places_in(move.over.container):
        return
    for member in members(interp.eval(move.over.container)):
        if not isinstance(member, Unknown):
            interp.recorder.remarked.add(interp.site(_kind_of(interp, member), move.call))


def _kind_of(interp: Interpreter, container: Value) -> str:
    if isinstance(container, TupleValue):
        return "discarded-in-tuple"
    obj = interp.obj_of(container)
    if obj is not None and obj.kind == "dict":
        return "discarded-in-dict"
    return "discarded-in-list" if _is_list(obj) else "discarded-in-turn"


def mark(interp: Interpreter, statement: ast.Assign | ast.Expr, moved: Value) -> None:
    """What is on the CPU in the container that is gone through remembers that somebody meant to move it.

    That is where nothing takes the copies: neither the list that a comprehension makes, nor the name that a loop has for each item.
    """
    in_loop = not isinstance(statement.value, (ast.ListComp, ast.DictComp))
    node = _loop(interp) if in_loop else statement
    move = vain_move(node) if node is not None else None
    if node is None or move is None or move.statement is not statement:
        return
    if not in_loop:
        enter(interp, statement)
    if not (_is_there(moved) if in_loop else _holds_moved(interp.obj_of(moved))):
        return
    target = _target(interp, move.call)
    if target is None:
        return
    if places := places_in(move.over.container):
        _mark_names(interp, node, places, interp.site("discarded-in-turn", move.call), target)
    else:
        _mark_container(interp, node, move, target)


def _loop(interp: Interpreter) -> ast.stmt | None:
    return interp.frame.loops[-1].node if interp.frame.loops else None


def _is_there(value: Value | None) -> bool:
    return isinstance(value, Tensor) and value.device.is_accelerator


def _holds_moved(obj: Obj | None) -> bool:
    """Whether a comprehension made nothing but copies on the accelerator."""
    held = _items_of(obj) if obj is not None else []
    return bool(held) and all(map(_is_there, held))


def _target(interp: Interpreter, call: ast.Call) -> Target | None:
    """Where a call moves a tensor; None where it may do anything else."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if name not in moves.METHODS:
        return None
    args = tuple(Arg(interp.eval(arg), arg) for arg in call.args)
    keywords = {each.arg: Arg(interp.eval(each.value), each.value) for each in call.keywords if each.arg}
    return moves.target_of(name, CallSite(call, args, keywords, open=len(keywords) < len(call.keywords)))


def _mark_names(
    interp: Interpreter, node: ast.stmt, places: list[ast.expr], site: Origin, target: Target
) -> None:
    values = [operand_types.tensor_of(interp, interp.eval(place)) for place in places]
    if not all(_can_be_copied(interp, value, target) for value in values):
        return
    if not all(_can_be_set(interp, place) for place in places):
        return
    if way_to_keep(reads.scope(interp), node, IN_TURN) is None:
        return
    for place, value in zip(places, values, strict=True):
        if (marked := _marked(value, site)) is not value:
            rebind(interp, place, marked)


def _mark_container(interp: Interpreter, node: ast.stmt, move: VainMove, target: Target) -> None:
    place, scope = move.over.container, reads.scope(interp)
    container = interp.eval(place)
    if isinstance(container, TupleValue):
        if (
            _can_be_plain(interp, container, target)
            and _can_be_set(interp, place)
            and way_to_keep(scope, node, IN_TUPLE) is not None
        ):
            site = interp.site("discarded-in-tuple", move.call)
            rebind(interp, place, container.with_items(_marked(item, site) for item in container.items))
        return
    for ref in members(container):
        obj = interp.obj_of(ref)
        if isinstance(ref, Ref) and obj is not None and _fits(interp, obj, node, move):
            interp.update(
                ref, _marked_object(interp, obj, interp.site(_kind_of(interp, ref), move.call), target)
            )


def _fits(interp: Interpreter, obj: Obj, node: ast.stmt, move: VainMove) -> bool:
    """Whether a list, or a dict, takes the copies in the way in which they are kept."""
    if obj.kind not in ("list", "dict") or (obj.kind == "dict") != move.over.values:
        return False
    if isinstance(obj.cls, Class) and any(classes.find(interp, obj.cls, name) for name in _STORING):
        return False  # what a class of the program does with what it is given is its own affair
    way = way_to_keep(reads.scope(interp), node, IN_DICT if obj.kind == "dict" else IN_LIST)
    if way == "in place" and (isinstance(node, ast.For) or obj.kind == "dict"):
        return True
    # What is like a list can do more than one that is made anew, and may take no slice.
    return way is not None and obj.cls == UNKNOWN


def _is_list(obj: Obj | None) -> TypeGuard[Obj]:
    return obj is not None and obj.kind == "list"


def _can_be_set(interp: Interpreter, place: ast.expr) -> bool:
    """Whether a place is a name, or an attribute that an object has and lets go of: no property, and no field of a frozen class."""
    if not isinstance(place, ast.Attribute):
        return True
    owner = interp.obj_of(interp.eval(place.value))
    return owner is not None and place.attr in owner.attrs and not is_frozen(interp, owner.cls)


def _can_be_plain(interp: Interpreter, container: TupleValue, target: Target) -> bool:
    """Whether a tuple of copies does as well: nobody asks it for a field by its name."""
    return not container.names and all(_can_be_copied(interp, item, target) for item in container.items)


def _marked_object(interp: Interpreter, obj: Obj, site: Origin, target: Target) -> Obj:
    if not all(_can_be_copied(interp, item, target) for item in _items_of(obj)):
        return obj
    return _with_items(obj, lambda item: _marked(item, site))


def _items_of(obj: Obj) -> list[Value]:
    """What is known to be in a list or a dict."""
    entries = obj.attrs.values() if obj.kind == "dict" else ()
    held = (*entries, *(obj.items or ()), obj.element)
    return [item for item in held if item is not None]


def _with_items(obj: Obj, change: Callable[[Value], Value]) -> Obj:
    """A list or a dict, each item of which has become another."""
    entries = {name: change(value) for name, value in obj.attrs.items()} if obj.kind == "dict" else {}
    items = obj.items and tuple(map(change, obj.items))
    element = change(obj.element) if obj.element is not None else None
    return replace(obj, attrs={**obj.attrs, **entries}, items=items, element=element)


def _marked(value: Value, site: Origin) -> Value:
    """A tensor on the CPU that has been to that place, once; anything else as it is."""
    if not isinstance(value, Tensor) or value.device != CPU or site in value.trail:
        return value
    return value.at(site)


def _can_be_copied(interp: Interpreter, value: Value | None, target: Target) -> bool:
    """Whether nothing is another where the copy stays where it is: it is of the same dtype, and no leaf that an optimizer takes."""
    if not isinstance(value, Tensor):
        return True
    return not leaves.is_trained(interp, value) and target.dtype in (None, value.dtype)
