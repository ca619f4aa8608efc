"""Replacing: loops over the places of a list, or the keys of a dict, that give each another value.

``for i in range(len(batch)): batch[i] = batch[i].to(device)``: behind it all of them are what the loop stores.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import Const, Obj, Ref, TupleValue, Unknown, Value
from devfix.analysis.text.syntax import called, in_rows, remembered, spelt, statements_in
from devfix.analysis.text.targets import targets

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Of more places than this not each is followed.
_MOST_PLACES = 12


def places(interp: Interpreter, loop: ast.For | ast.AsyncFor) -> tuple[Const, ...] | None:
    """The places of a list whose items are known, over which a loop goes by their numbers to replace them."""
    replaced = _list_of(loop)
    if replaced is None or not isinstance(loop.target, ast.Name):
        return None
    obj = interp.obj_of(interp.eval(replaced))
    if obj is None or obj.kind != "list" or obj.items is None or obj.element is not None:
        return None
    return tuple(map(Const, range(len(obj.items)))) if len(obj.items) <= _MOST_PLACES else None


def renew(interp: Interpreter, loop: ast.For | ast.AsyncFor) -> None:
    """A dict of which nobody knows anything has nothing but what a loop stores that gives each key another value."""
    renewed = _renewed_dict(loop)
    if renewed is None or not isinstance(interp.state.get(interp.frame.id, renewed), Unknown):
        return
    interp.assign(interp.frame.id, renewed, interp.new(Obj("dict")))


def in_turn(
    interp: Interpreter, loop: ast.For | ast.AsyncFor, element: Value | None
) -> list[tuple[Ref, Obj]]:
    """What is another in each round, and what it holds before the loop.

    That is each list or dict of which the loop touches nothing but the entry whose turn it is, and an object of the
    program's own that stands for all that the loop goes over.
    """
    found = [interp.eval(each) for each in _only_in_turn(loop)]
    for item in element.items if isinstance(element, TupleValue) else (element,):
        obj = interp.obj_of(item)
        if item is not None and obj is not None and obj.kind == "instance":
            found.append(item)
    pairs = [(held, interp.obj_of(held)) for held in found if isinstance(held, Ref)]
    return [(held, obj) for held, obj in pairs if obj is not None]


def begin_round(interp: Interpreter, held: list[tuple[Ref, Obj]]) -> None:
    """Whose turn it is has what it had before the loop: the rounds before gave the others what they have now."""
    for each, obj in held:
        if interp.obj_of(each) is not None:
            interp.update(each, obj)


def has_its_turn(interp: Interpreter, item: ast.expr | None) -> bool:
    """Whether ``item``, which is given a value, is each place of its list, or each entry of its dict, in turn."""
    loops = interp.frame.loops
    loop = loops[-1].node if loops else None
    replaced = (_list_of(loop) or _dict_of(loop)) if loop is not None else None
    return (
        replaced is not None
        and isinstance(item, ast.Subscript)
        and spelt(item.value) == spelt(replaced)
        and isinstance(item.slice, ast.Name)
        and item.slice.id in loops[-1].names
    )


@remembered
def _list_of(loop: ast.For | ast.AsyncFor) -> ast.expr | None:
    """``xs`` of ``for i in range(len(xs))`` and of ``for i, x in enumerate(xs)``, if the loop stores into ``xs[i]``."""
    if isinstance(loop.target, ast.Tuple):
        number, over = loop.target.elts[0], _argument(loop.iter, "enumerate")
    else:
        number, over = loop.target, _argument(_argument(loop.iter, "range"), "len")
    if not isinstance(number, ast.Name) or not isinstance(over, (ast.Name, ast.Attribute)):
        return None
    return over if (spelt(over), number.id) in _stored(loop) else None


@remembered
def _dict_of(loop: ast.For | ast.AsyncFor) -> ast.expr | None:
    """``d`` of ``for k in d``, ``for k in d.keys()`` and ``for k, x in d.items()``, if the loop stores into ``d[k]``."""
    pair = loop.target.elts if isinstance(loop.target, ast.Tuple) else ()
    key = pair[0] if len(pair) == 2 else loop.target
    over = _argument(loop.iter, "list") or loop.iter
    if isinstance(over, ast.Call):
        func = over.func
        asked = "items" if pair else "keys"
        plain = isinstance(func, ast.Attribute) and func.attr == asked and not (over.args or over.keywords)
        over = func.value if isinstance(func, ast.Attribute) and plain else over
    elif pair:
        return None
    if not isinstance(key, ast.Name) or not isinstance(over, (ast.Name, ast.Attribute)):
        return None
    return over if (spelt(over), key.id) in _stored(loop) else None


#: Methods that give each key, or each name, once.
_OF_KEYS = frozenset(
    {"keys", "items", "named_parameters", "named_buffers", "named_modules", "named_children"}
)


@remembered
def _only_in_turn(loop: ast.For | ast.AsyncFor) -> tuple[ast.expr, ...]:
    """The lists and dicts of which a loop replaces the entry whose turn it is, and touches no other."""
    number = _number(loop)
    # Most loops store nothing under it, and no expression of theirs is looked at.
    if number is None or not _stores_under(loop, number):
        return ()
    named: dict[str, list[ast.Name]] = {}
    items: dict[str, list[ast.Subscript]] = {}
    parents: dict[ast.AST, ast.AST] = {}
    for part in (part for each in loop.body for part in in_rows(each)):
        parents.update(dict.fromkeys(ast.iter_child_nodes(part), part))
        if isinstance(part, ast.Name):
            named.setdefault(part.id, []).append(part)
        elif isinstance(part, ast.Subscript) and isinstance(part.value, (ast.Name, ast.Attribute)):
            items.setdefault(spelt(part.value), []).append(part)
    if any(not isinstance(each.ctx, ast.Load) for each in named.get(number, ())):
        return ()
    found = []
    for replaced, taken in items.items():
        stored = any(isinstance(each.ctx, ast.Store) for each in taken)
        own = stored and all(spelt(each.slice) == number for each in taken)
        if own and _is_touched_by(taken, named.get(replaced.partition(".")[0], []), parents):
            found.append(taken[0].value)
    return tuple(found)


def _stores_under(loop: ast.For | ast.AsyncFor, number: str) -> bool:
    """Whether a loop sets an item under the name of what is another in each round."""
    given = (target for statement in statements_in(loop) for target in targets(statement))
    return any(isinstance(target, ast.Subscript) and spelt(target.slice) == number for target in given)


def _number(loop: ast.For | ast.AsyncFor) -> str | None:
    """The name of the number or key that is another one in each round of a loop."""
    over = loop.iter
    if not isinstance(over, ast.Call):
        return None if _dict_of(loop) is None else getattr(loop.target, "id", None)
    plain = isinstance(over.func, ast.Name) and over.func.id in ("enumerate", "range")
    if not plain and called(over) not in _OF_KEYS and _dict_of(loop) is None:
        return None
    target = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) else loop.target
    return target.id if isinstance(target, ast.Name) else None


def _is_touched_by(
    taken: list[ast.Subscript], named: list[ast.Name], parents: dict[ast.AST, ast.AST]
) -> bool:
    """Whether nothing but these items touches a container, as far as the names of what holds it tell: it reads other attributes at most."""
    containers = {id(each.value) for each in taken}
    replaced = spelt(taken[0].value)
    for name in named:
        node: ast.AST = name
        while id(node) not in containers and isinstance(parents.get(node), ast.Attribute):
            node = parents[node]
        if id(node) in containers:
            continue
        above = parents.get(node)
        asked = not (isinstance(above, ast.Call) and above.func is node)
        if not isinstance(node, ast.Attribute) or not asked or replaced.startswith(spelt(node)):
            return False
    return True


@remembered
def _renewed_dict(loop: ast.For | ast.AsyncFor) -> str | None:
    """The name of such a dict where each round of the loop stores a value, whatever branches it takes."""
    over = _dict_of(loop)
    leaves = any(
        isinstance(part, (ast.Break, ast.Continue)) for each in loop.body for part in statements_in(each)
    )
    if not isinstance(over, ast.Name) or leaves or not _stores_always(loop.body, over.id):
        return None
    return over.id


def _stores_always(body: list[ast.stmt], name: str) -> bool:
    return any(
        _stores_always(each.body, name) and _stores_always(each.orelse, name)
        if isinstance(each, ast.If)
        else isinstance(each, ast.Assign)
        and any(isinstance(to, ast.Subscript) and spelt(to.value) == name for to in each.targets)
        for each in body
    )


def _argument(node: ast.expr | None, function: str) -> ast.expr | None:
    """The one thing that a built-in function is called with; None where it is another call, or none."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or called(node) != function:
        return None
    return node.args[0] if len(node.args) == 1 and not node.keywords else None


def _stored(loop: ast.For | ast.AsyncFor) -> set[tuple[str, str]]:
    """The lists, and the names of the numbers, of the places that a loop's own statements store into."""
    return {
        (spelt(target.value), target.slice.id)
        for part in loop.body
        for statement in statements_in(part)
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Name)
    }
