"""Lost items: what a loop moves one by one, and throws away, stays where it is in the list, the tuple or the names it came from."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.assumptions.discarding import is_frozen
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import CPU
from devfix.analysis.domain.values import Obj, Ref, Tensor, TupleValue, Value, members
from devfix.analysis.language.rebinding import rebind
from devfix.analysis.text.moving_loops import Scope, places_in, vain_move, way_to_keep
from devfix.analysis.torch_model.tensors import operand_types
from devfix.origin_kinds import IN_LIST, IN_TUPLE, IN_TURN

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.findings import Origin


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
    if places := places_in(loop.iter):
        _mark_names(interp, loop, places, interp.site("discarded-in-turn", move.call))
    else:
        _mark_container(interp, loop, move.call)


def _mark_names(interp: Interpreter, loop: ast.For, places: list[ast.expr], site: Origin) -> None:
    values = [operand_types.tensor_of(interp, interp.eval(place)) for place in places]
    if any(map(_is_leaf, values)) or not all(_can_be_set(interp, place) for place in places):
        return
    if way_to_keep(_scope(interp), loop, IN_TURN) is None:
        return
    for place, value in zip(places, values, strict=True):
        if (marked := _marked(value, site)) is not value:
            rebind(interp, place, marked)


def _mark_container(interp: Interpreter, loop: ast.For, call: ast.Call) -> None:
    container, scope = interp.eval(loop.iter), _scope(interp)
    if isinstance(container, TupleValue):
        if (
            _can_be_plain(container)
            and _can_be_set(interp, loop.iter)
            and way_to_keep(scope, loop, IN_TUPLE) is not None
        ):
            site = interp.site("discarded-in-tuple", call)
            rebind(interp, loop.iter, container.with_items(_marked(item, site) for item in container.items))
        return
    in_lists = way_to_keep(scope, loop, IN_LIST) is not None
    for ref in members(container) if in_lists else ():
        obj = interp.obj_of(ref)
        if isinstance(ref, Ref) and obj is not None and obj.kind == "list":
            interp.update(ref, _marked_list(obj, interp.site("discarded-in-list", call)))


def _can_be_set(interp: Interpreter, place: ast.expr) -> bool:
    """Whether a place is a name, or an attribute that an object has and lets go of: no property, and no field of a frozen class."""
    if not isinstance(place, ast.Attribute):
        return True
    owner = interp.obj_of(interp.eval(place.value))
    return owner is not None and place.attr in owner.attrs and not is_frozen(owner.cls)


def _can_be_plain(container: TupleValue) -> bool:
    """Whether a tuple of copies does as well: nobody asks it for a field by its name, and none of it is a leaf."""
    return not container.names and not any(map(_is_leaf, container.items))


def _scope(interp: Interpreter) -> Scope:
    function = interp.frame.function
    return interp.program.sources[interp.frame.path].tree if function is None else function.node


def _marked_list(obj: Obj, site: Origin) -> Obj:
    if any(map(_is_leaf, (*(obj.items or ()), obj.element))):
        return obj
    items = obj.items and tuple([_marked(item, site) for item in obj.items])
    element = _marked(obj.element, site) if obj.element is not None else None
    return replace(obj, items=items, element=element)


def _marked(value: Value, site: Origin) -> Value:
    """A tensor on the CPU that has been to that place, once; anything else as it is."""
    if not isinstance(value, Tensor) or value.device != CPU or site in value.trail:
        return value
    return value.at(site)


def _is_leaf(value: Value | None) -> bool:
    """Whether a copy of it would be none of the leaves that an optimizer takes."""
    return isinstance(value, Tensor) and (value.parameter or bool(value.grad))
