"""Changed items: what is done in place to each item in turn is done to all that a list, a dict, a tuple or names side by side have."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import Obj, Ref, Tensor, TupleValue, Value, members
from devfix.analysis.language.rebinding import rebind
from devfix.analysis.text.vain_moves import Over, gone_through, places_in
from devfix.analysis.torch_model.tensors import operand_types

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

Change = Callable[[Value], Value]


def note(interp: Interpreter, statement: ast.Expr) -> None:
    """Behind ``for x in weights: x.requires_grad_()`` autograd collects gradients for whatever ``weights`` has."""
    made = statement.value
    call = made.elt if isinstance(made, (ast.ListComp, ast.SetComp)) else made
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return
    receiver = call.func.value
    if call.func.attr != "requires_grad_" or not isinstance(receiver, ast.Name):
        return
    over = _gone_through(interp, statement)
    flag = [*call.args, *(each.value for each in call.keywords)]
    is_true = not flag or (isinstance(flag[0], ast.Constant) and flag[0].value is True)
    if over is not None and over.name == receiver.id and is_true:
        _change_all(interp, over.container, _as_leaf)


def _gone_through(interp: Interpreter, statement: ast.Expr) -> Over | None:
    """What a statement goes through by itself, or the loop in each round of which it is executed."""
    made = statement.value
    if isinstance(made, (ast.ListComp, ast.SetComp)):
        generator = made.generators[0]
        plain = len(made.generators) == 1 and not generator.ifs
        return gone_through(generator.target, generator.iter) if plain else None
    loop = interp.frame.loops[-1].node if interp.frame.loops else None
    if not isinstance(loop, ast.For) or statement not in loop.body:
        return None
    return gone_through(loop.target, loop.iter)


def _as_leaf(value: Value) -> Value:
    return replace(value, grad=True, leaf=value.leaf is not False) if isinstance(value, Tensor) else value


def _change_all(interp: Interpreter, container: ast.expr, change: Change) -> None:
    if places := places_in(container):
        for place in places:
            if (tensor := operand_types.tensor_of(interp, interp.eval(place))) is not None:
                rebind(interp, place, change(tensor))
        return
    value = interp.eval(container)
    if isinstance(value, TupleValue):
        rebind(interp, container, value.with_items(map(change, value.items)))
        return
    for ref in members(value):
        obj = interp.obj_of(ref)
        if isinstance(ref, Ref) and obj is not None and obj.kind in ("list", "dict"):
            interp.update(ref, with_items_changed(obj, change))


def items_of(obj: Obj) -> list[Value]:
    """What is known to be in a list or a dict."""
    entries = obj.attrs.values() if obj.kind == "dict" else ()
    held = (*entries, *(obj.items or ()), obj.element)
    return [item for item in held if item is not None]


def with_items_changed(obj: Obj, change: Change) -> Obj:
    """A list or a dict, each item of which has become another."""
    entries = {name: change(value) for name, value in obj.attrs.items()} if obj.kind == "dict" else {}
    items = obj.items and tuple(map(change, obj.items))
    element = change(obj.element) if obj.element is not None else None
    return replace(obj, attrs={**obj.attrs, **entries}, items=items, element=element)
