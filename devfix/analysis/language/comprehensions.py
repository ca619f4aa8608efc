"""Comprehensions and generator expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from enum import IntEnum
from typing import TYPE_CHECKING

from devfix.analysis.assumptions import unsure_entries
from devfix.analysis.deciding import answers, conditions
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.state import join_states
from devfix.analysis.domain.values import UNKNOWN, Obj, Sequence, Tensor, Value
from devfix.analysis.language import binding, containers, iteration, list_places, object_keys
from devfix.analysis.language.frames import Frame
from devfix.analysis.nn import modules
from devfix.analysis.text.syntax import in_rows, remembered, walk

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


class Known(IntEnum):
    """How much is known of what a comprehension gives: a typical item, some in order as of a grown list, or each."""

    TYPICAL = 0
    SOME = 1
    EACH = 2


Comprehension = ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp
#: A comprehension over this many known items is followed item by item.
EXACT = 16
#: And one over so many modules, names or pairs with one.
APART = 128


def evaluate(interp: Interpreter, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> Value:
    """A list, generator or set comprehension: a list, with exact items where the source has them."""
    if isinstance(node, ast.GeneratorExp) and iteration.is_thrown_away(interp, node):
        interp.eval(node.generators[0].iter)
        return Sequence(UNKNOWN)
    results: list[Value] = []
    with interp.entered(_frame(interp)):
        known = _loop(interp, node, 0, lambda _: results.append(_collected(interp, node.elt)))
    trail = (interp.site("other", node),)
    if known and not isinstance(node, ast.SetComp):
        made = Obj("list", items=tuple(results), trail=trail)
        return interp.new(made if known is Known.EACH else list_places.grown(made, 1))
    element = join_all(results) if results else UNKNOWN
    if isinstance(node, ast.GeneratorExp):
        return Sequence(element)
    made = Obj("list", element=element, trail=trail)
    alike = isinstance(node, ast.ListComp) and isinstance(element, Tensor) and _is_the_same(node)
    if isinstance(element, Tensor) and element.parameter and element.owner is not None:
        listed = interp.new(made)  # the same objects, which move with their module
        interp.parameter_lists.append(listed)
        return listed
    return interp.new(containers.repeated(made) if alike else made)


def _is_the_same(node: ast.ListComp) -> bool:
    """Whether each round gives the same: ``[torch.zeros(n) for _ in range(k)]``."""
    bound = {
        part.id for each in node.generators for part in in_rows(each.target) if isinstance(part, ast.Name)
    }
    return not any(isinstance(part, ast.Name) and part.id in bound for part in in_rows(node.elt))


def _collected(interp: Interpreter, node: ast.expr) -> Value:
    """One element; an entry that is taken out of a batch tells where, and so does a module that somebody else made."""
    value = interp.eval(node)
    modules.collect(interp, value, node)
    if not isinstance(value, Tensor) or not isinstance(node, (ast.Subscript, ast.Attribute)):
        return value
    of_batch = value.trail and value.trail[0].kind == "loader"
    return value.at(interp.site("collected", node)) if of_batch else value


def evaluate_dict(interp: Interpreter, node: ast.DictComp) -> Value:
    """A dict comprehension."""
    attrs: dict[str, Value] = {}
    others: list[Value] = []
    objects: list[Value] = []
    at_times: set[str] = set()

    def add(sure: bool) -> None:
        told = interp.eval(node.key)
        key = iteration.dict_key(told)
        value = interp.eval(node.value)
        modules.collect(interp, value, node.value)
        if key is None:
            others.append(value)
            objects.append(told)
        else:
            attrs[key] = value
            if not sure:
                at_times.add(key)

    with interp.entered(_frame(interp)):
        known = _loop(interp, node, 0, add)
    if known is Known.SOME and attrs:
        others += attrs.values()
        objects.append(UNKNOWN)
    element = join_all(others) if others else None
    trail = (interp.site("other", node),)
    made = object_keys.added(Obj("dict", attrs=attrs, trail=trail), *objects)
    return interp.new(replace(unsure_entries.marked(made, at_times), element=element))


def _is_followed(interp: Interpreter, items: tuple[Value, ...]) -> bool:
    """Whether items are looked at one by one: few of them, or more that are apart, as the parts of a model are."""
    return len(items) <= EXACT or (len(items) <= APART and iteration.are_apart(interp, items))


def _frame(interp: Interpreter) -> Frame:
    """A comprehension has a scope of its own inside the function (or module) it stands in."""
    outer = interp.frame
    return Frame(
        interp.fresh(), outer.path, outer.scope, "comprehension", outer.id, outer.module,
        outer.function, None, outer.receiver,
    )  # fmt: skip


def _loop(
    interp: Interpreter, node: Comprehension, index: int, body: Callable[[bool], object], sure: bool = True
) -> Known:
    """Run the nested loops, and tell how much is known of the result.

    ``body`` is told whether nothing may leave this round out.
    """
    if index == len(node.generators):
        body(sure)
        return Known.EACH
    generator = node.generators[index]
    iterable = interp.eval(generator.iter)
    fresh = iteration.fresh_items(interp, iterable, generator.iter)
    items = fresh if fresh is not None else iteration.grown_items(interp, iterable) or None
    known = Known.TYPICAL
    if items is not None and _is_followed(interp, items):
        known = Known.EACH if fresh is not None else Known.SOME
    if items is None or not known:
        items = (iteration.element(interp, iterable, generator.iter),)
    with iteration.rounds(interp, counted=known is Known.EACH, once=not known):
        return min(known, _rounds(interp, node, index, body, sure, items))


def _rounds(
    interp: Interpreter,
    node: Comprehension,
    index: int,
    body: Callable[[bool], object],
    sure: bool,
    items: tuple[Value, ...],
) -> Known:
    generator = node.generators[index]
    known = Known.EACH
    for value in items:
        binding.bind(interp, generator.target, value, node)
        kept = [answers.truth(interp, interp.eval(test)) for test in generator.ifs]
        if False in kept:
            continue
        certain = None not in kept
        left_out = interp.state.fork() if not certain and _binds(node) else None
        for test in generator.ifs:
            conditions.assume(interp, test, True)
        known = min(known, _loop(interp, node, index + 1, body, sure and certain))
        known = known if certain else Known.TYPICAL
        if left_out is not None:
            interp.state = join_states(left_out, interp.state)
    return known


@remembered
def _binds(node: Comprehension) -> bool:
    """Whether a comprehension gives names values that live on behind it."""
    return any(isinstance(part, ast.NamedExpr) for part in walk(node))
