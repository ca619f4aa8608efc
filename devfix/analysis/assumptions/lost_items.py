"""Lost items: what a loop moves one by one, and throws away, stays where it is in the list, the tuple or the names it came from."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeGuard

from devfix.analysis.assumptions.discarding import is_frozen
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import CPU
from devfix.analysis.domain.values import UNKNOWN, Obj, Ref, Tensor, TupleValue, Unknown, Value, members
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.language.rebinding import rebind
from devfix.analysis.reuse import reads
from devfix.analysis.text.moving_loops import places_in, vain_move, way_to_keep
from devfix.analysis.torch_model.tensors import moves, operand_types
from devfix.analysis.torch_model.tensors.moves import Target
from devfix.origin_kinds import IN_LIST, IN_TUPLE, IN_TURN

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.findings import Origin


def enter(interp: Interpreter, loop: ast.For | ast.AsyncFor, container: Value) -> None:
    """A loop that moves in vain begins: what kind of container it goes through is written down, as it may be another in other calls."""
    move = vain_move(loop) if isinstance(loop, ast.For) else None
    if move is None or places_in(loop.iter):
        return
    for member in members(container):
        if not isinstance(member, Unknown):
            interp.recorder.remarked.add(interp.site(_kind_of(interp, member), move.call))


def _kind_of(interp: Interpreter, container: Value) -> str:
    if isinstance(container, TupleValue):
        return "discarded-in-tuple"
    return "discarded-in-list" if _is_list(interp.obj_of(container)) else "discarded-in-turn"


def mark(interp: Interpreter, statement: ast.Assign | ast.Expr, moved: Value) -> None:
    """What is on the CPU in the container that the loop around a statement goes through remembers that somebody meant to move it.

    That is where the statement is all that the loop does, and nothing else reads the name that it has for each item.
    """
    loop = interp.frame.loops[-1].node if interp.frame.loops else None
    if not isinstance(loop, ast.For) or not isinstance(moved, Tensor) or not moved.device.is_accelerator:
        return
    move = vain_move(loop)
    if move is None or move.statement is not statement:
        return
    target = _target(interp, move.call)
    if target is None:
        return
    if places := places_in(loop.iter):
        _mark_names(interp, loop, places, interp.site("discarded-in-turn", move.call), target)
    else:
        _mark_container(interp, loop, move.call, target)


def _target(interp: Interpreter, call: ast.Call) -> Target | None:
    """Where a call moves a tensor; None where it may do anything else."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if name not in moves.METHODS:
        return None
    args = tuple(Arg(interp.eval(arg), arg) for arg in call.args)
    keywords = {each.arg: Arg(interp.eval(each.value), each.value) for each in call.keywords if each.arg}
    return moves.target_of(name, CallSite(call, args, keywords, open=len(keywords) < len(call.keywords)))


def _mark_names(
    interp: Interpreter, loop: ast.For, places: list[ast.expr], site: Origin, target: Target
) -> None:
    values = [operand_types.tensor_of(interp, interp.eval(place)) for place in places]
    if not all(_can_be_copied(value, target) for value in values):
        return
    if not all(_can_be_set(interp, place) for place in places):
        return
    if way_to_keep(reads.scope(interp), loop, IN_TURN) is None:
        return
    for place, value in zip(places, values, strict=True):
        if (marked := _marked(value, site)) is not value:
            rebind(interp, place, marked)


def _mark_container(interp: Interpreter, loop: ast.For, call: ast.Call, target: Target) -> None:
    container, scope = interp.eval(loop.iter), reads.scope(interp)
    if isinstance(container, TupleValue):
        if (
            _can_be_plain(container, target)
            and _can_be_set(interp, loop.iter)
            and way_to_keep(scope, loop, IN_TUPLE) is not None
        ):
            site = interp.site("discarded-in-tuple", call)
            rebind(interp, loop.iter, container.with_items(_marked(item, site) for item in container.items))
        return
    way = way_to_keep(scope, loop, IN_LIST)
    for ref in members(container):
        obj = interp.obj_of(ref)
        # What is like a list can do more than one that is made anew.
        if isinstance(ref, Ref) and _is_list(obj) and (way == "in place" or (way and obj.cls == UNKNOWN)):
            interp.update(ref, _marked_list(obj, interp.site("discarded-in-list", call), target))


def _is_list(obj: Obj | None) -> TypeGuard[Obj]:
    return obj is not None and obj.kind == "list"


def _can_be_set(interp: Interpreter, place: ast.expr) -> bool:
    """Whether a place is a name, or an attribute that an object has and lets go of: no property, and no field of a frozen class."""
    if not isinstance(place, ast.Attribute):
        return True
    owner = interp.obj_of(interp.eval(place.value))
    return owner is not None and place.attr in owner.attrs and not is_frozen(interp, owner.cls)


def _can_be_plain(container: TupleValue, target: Target) -> bool:
    """Whether a tuple of copies does as well: nobody asks it for a field by its name."""
    return not container.names and all(_can_be_copied(item, target) for item in container.items)


def _marked_list(obj: Obj, site: Origin, target: Target) -> Obj:
    if not all(_can_be_copied(item, target) for item in (*(obj.items or ()), obj.element)):
        return obj
    items = obj.items and tuple([_marked(item, site) for item in obj.items])
    element = _marked(obj.element, site) if obj.element is not None else None
    return replace(obj, items=items, element=element)


def _marked(value: Value, site: Origin) -> Value:
    """A tensor on the CPU that has been to that place, once; anything else as it is."""
    if not isinstance(value, Tensor) or value.device != CPU or site in value.trail:
        return value
    return value.at(site)


def _can_be_copied(value: Value | None, target: Target) -> bool:
    """Whether nothing is another where the copy stays where it is: it is of the same dtype, and no leaf that an optimizer takes."""
    if not isinstance(value, Tensor):
        return True
    return not value.parameter and not value.grad and target.dtype in (None, value.dtype)
