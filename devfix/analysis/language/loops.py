"""Loops: how often a body is followed, what rounds that stand for all leave behind, and how a loop ends."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from devfix.analysis.assumptions import lost_items, replacing
from devfix.analysis.deciding import answers, conditions, correlated, data_tests
from devfix.analysis.domain.state import State, join_states
from devfix.analysis.domain.values import NONE, Value
from devfix.analysis.language import binding, iteration, suspended, worklists
from devfix.analysis.language.frames import Loop
from devfix.analysis.language.rounds import is_settled, widen
from devfix.analysis.text.syntax import remembered, statements_in, walk

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

T = TypeVar("T")

#: How often a loop body is interpreted: the first time round and once with what that left behind.
LOOP_ROUNDS = 2
#: A loop over a short literal or range is followed item by item up to this many.
UNROLL = 4
#: Names and modules stand for attributes, entries and layers, each of which is a value of its own.
NAMED_UNROLL = 12
#: More of them where that takes no more statements than this, as those do that look for a few layers among many.
NAMED_STATEMENTS = 32 * NAMED_UNROLL


def for_(interp: Interpreter, node: ast.For | ast.AsyncFor) -> None:
    """Short exact sequences are followed item by item, others for some rounds with what all elements have in common.

    Rounds end early where one changed nothing. Counters become any number, and ``break`` joins behind ``else``.
    """
    iterable = interp.eval(node.iter)
    lost_items.enter(interp, node)
    places = replacing.places(interp, node)
    replacing.renew(interp, node)
    exact = iteration.fresh_items(interp, iterable, node.iter) if places is None else places
    followed = places is not None or (exact is not None and _is_followed(interp, exact, node))
    if exact is not None and followed:
        rounds: list[Value] = list(exact)
    else:
        rounds = iteration.one_of_each_place(exact or ()) or list(iteration.grown_items(interp, iterable))
        if not 0 < len(rounds) * _length(node) <= NAMED_STATEMENTS:
            element = iteration.typical(interp, exact) if exact else None
            rounds = [element or iteration.element(interp, iterable, node.iter)] * LOOP_ROUNDS
    summary = not followed
    before = interp.state.fork() if summary else None
    loop = Loop(data_tests.target_names(node), node, exact=followed, is_first=summary)
    interp.frame.loops.append(loop)
    held = replacing.in_turn(interp, node, rounds[0] if rounds else None) if summary else []
    for value in _with_last(rounds, loop) if summary else rounds:
        unbound = interp.unbound
        replacing.begin_round(interp, held)
        binding.bind(interp, node.target, value, node)
        interp.run(node.body)
        _next_round(interp, loop, before)
        is_last = value is rounds[-1] and _is_done(interp, loop, before, unbound)
        if interp.state.dead or interp.exhausted or is_last:
            break
    interp.frame.loops.pop()
    _leave_loop(interp, loop, node.orelse)


def _with_last(rounds: Sequence[T], loop: Loop) -> Iterator[T]:
    """The rounds, and one more when they opened a branch: what that leaves behind was never the start of one."""
    yield from rounds
    if loop.opened or loop.may_open():
        yield rounds[-1]


def _is_followed(interp: Interpreter, items: tuple[Value, ...], node: ast.For | ast.AsyncFor) -> bool:
    """Whether a loop is followed item by item: over few, or more that are apart or modules where little is done with each."""
    if len(items) <= UNROLL:
        return True
    few = len(items) <= NAMED_UNROLL or len(items) * _length(node) <= NAMED_STATEMENTS
    apart = iteration.are_apart(interp, items) or iteration.has_module(interp, items)
    return few and (apart or iteration.are_mixed(items))


@remembered
def _length(node: ast.AST) -> int:
    """How many statements there are in a loop."""
    return sum(1 for _ in statements_in(node))


def while_(interp: Interpreter, node: ast.While) -> None:
    """The body is followed for some rounds, or until the test is known to be false or a round changed nothing.

    Counters become any number, and ``break`` joins behind ``else``.
    """
    loop = Loop()
    interp.frame.loops.append(loop)
    rounds = () if _one_by_one(interp, node, loop) else range(LOOP_ROUNDS)
    before = interp.state.fork()
    for _ in _with_last(rounds, loop) if rounds else ():
        unbound = interp.unbound
        if answers.truth(interp, interp.eval(node.test)) is False:
            break
        interp.run(node.body)
        _next_round(interp, loop, before)
        if interp.state.dead or interp.exhausted or _is_done(interp, loop, before, unbound):
            break
    interp.frame.loops.pop()
    if not interp.state.dead:
        _end(interp, loop, node.test)
    _leave_loop(interp, loop, node.orelse)


def _one_by_one(interp: Interpreter, node: ast.While, loop: Loop) -> bool:
    """Whether the rounds of a worklist were followed one by one until it ended."""
    goes_on: bool | None = None
    loop.exact = True
    for _ in range(worklists.rounds(interp, node)):
        goes_on = worklists.goes_on(interp, node)
        if not goes_on:
            break
        interp.eval(node.test)
        interp.run(node.body)
        _next_round(interp, loop, None)
        if interp.state.dead or interp.exhausted:
            break
    loop.exact = False
    return goes_on is False or interp.state.dead or interp.exhausted


def _end(interp: Interpreter, loop: Loop, test: ast.expr) -> None:
    """The test has come out false; one that never does is left by ``break`` alone, where there is one."""
    if isinstance(test, ast.Constant) and test.value:
        interp.state.dead = bool(loop.breaks)
    else:
        _assume_ended(interp, test)


def _assume_ended(interp: Interpreter, test: ast.expr) -> None:
    """Behind a loop holds that its test came out false, whatever the rounds that were followed have left there."""
    asks = any(isinstance(part, (ast.Call, ast.NamedExpr)) for part in walk(test))
    if not asks:  # else it is not asked once more
        conditions.assume(interp, test, False)
    for part, found in conditions.parts_of(test, False):
        if not isinstance(part, ast.Compare) or len(part.ops) > 1:
            continue
        asked = part.left.target if isinstance(part.left, ast.NamedExpr) else part.left
        compared, is_same = part.comparators[0], isinstance(part.ops[0], ast.Is)
        against_none = isinstance(compared, ast.Constant) and compared.value is None
        if against_none and isinstance(asked, ast.Name) and (is_same or isinstance(part.ops[0], ast.IsNot)):
            if found is is_same:
                interp.rebind(asked.id, NONE)


def _next_round(interp: Interpreter, loop: Loop, before: State | None) -> None:
    """``continue`` joins the end of the body, and counters become any number, for the next round."""
    loop.is_first = False
    correlated.end_round(interp, loop)
    suspended.note_round(interp, loop)
    for state in loop.continues:
        split = loop.by_data or interp.program.adopts
        interp.state = join_states(state, interp.state, split=split, rounds=loop.varied)
    loop.continues.clear()
    if before is not None and not interp.state.dead:
        loop.grown = widen(interp.state, before, loop.made, loop.rows)


def _is_done(interp: Interpreter, loop: Loop, before: State | None, unbound: int) -> bool:
    """Whether the next round would find nothing new: all is as before, no name was missing, and no test may come out anew."""
    if before is None or interp.unbound != unbound or loop.may_open():
        return False
    return is_settled(interp.state, before)


def _leave_loop(interp: Interpreter, loop: Loop, orelse: list[ast.stmt]) -> None:
    interp.run(orelse)
    for state in loop.breaks:
        interp.state = join_states(interp.state, state, split=interp.program.adopts)


def break_(interp: Interpreter, node: ast.Break) -> None:
    """The path ends here, and its state is kept for the end of the loop."""
    if interp.frame.loops:
        interp.frame.loops[-1].breaks.append(interp.state.fork())
    interp.state.dead = True


def continue_(interp: Interpreter, node: ast.Continue) -> None:
    """The path ends here, and its state is kept for the next round."""
    if interp.frame.loops:
        interp.frame.loops[-1].continues.append(interp.state.fork())
    interp.state.dead = True
