"""Branches: what a run does or leaves out by a test that nobody decides, and what is told of the returns in it."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from devfix.analysis.deciding import asked_again, conditions, correlated
from devfix.analysis.domain.state import State, join_states
from devfix.analysis.language import raising

if TYPE_CHECKING:
    from devfix.analysis.domain.values import Value
    from devfix.analysis.interpreter import Interpreter


def run(interp: Interpreter, body: list[ast.stmt], *, unusual: bool, alike: bool) -> None:
    """Follow a branch, and mark its returns.

    ``unusual`` are those that only options lead to that are not given as a rule; ``alike`` is what the function gives
    back there to what it gives back elsewhere, since all that parts them is whether a file is there.
    """
    frame = interp.frame
    returned = len(frame.returns)
    frame.branches += 1
    interp.run(body)
    frame.branches -= 1
    if unusual or alike:
        states = {id(state) for _, state in frame.returns[returned:]}
        frame.unusual |= states if unusual else set()
        frame.alike |= states if alike else set()


def evaluate(interp: Interpreter, node: ast.IfExp, usual: bool | None) -> tuple[Value | None, Value | None]:
    """What either branch of a conditional expression comes to, None where it raises; what they change is joined."""
    parts = ((node.body, True), (node.orelse, False))
    if not any(asked_again.may_change(part) for part, _ in parts):
        body, orelse = (
            interp.attempt(partial(_supposing, interp, node.test, outcome, part)) for part, outcome in parts
        )
        return body, orelse
    before, raised = interp.state, raising.count(interp)
    found: list[Value | None] = []
    ends: list[State] = []
    for part, outcome in parts:
        interp.state = before.fork()
        value = _supposing(interp, node.test, outcome, part)
        found.append(None if interp.state.dead else value)
        ends.append(interp.state)
    raising.depend(interp, raised, on_data=False)
    body, orelse = found
    if body is not None and orelse is not None:
        correlated.outcomes_of_expression(interp, node, (body, orelse), *ends)
    interp.state = join_states(ends[0], ends[1], split=interp.program.adopts, usual=usual)
    return body, orelse


def _supposing(interp: Interpreter, test: ast.expr, outcome: bool, part: ast.expr) -> Value:
    """What an expression comes to where a test has come out in a certain way."""
    with correlated.supposed(interp, conditions.parts_of(test, outcome)):
        return interp.eval(part)


class End(NamedTuple):
    """The state in which some runs have come to the end of an expression, and whether those that are given no options do."""

    state: State
    usual: bool | None


def go_on(
    interp: Interpreter, before: ast.expr, part: ast.expr, ends: list[End], stops_at: bool
) -> Value | None:
    """What an operand comes to that is evaluated in some runs, None where it raises.

    All others end with the one ``before``: if it is true where the operator ``stops_at`` that, and false where it does not.
    """
    if not asked_again.may_change(part):
        return interp.attempt(partial(interp.eval, part))
    usual = conditions.usual(interp, before)
    ends.append(End(interp.state.fork(), None if usual is None else usual is stops_at))
    raised = raising.count(interp)
    value = interp.eval(part)
    raising.depend(interp, raised, on_data=False)
    return None if interp.state.dead else value


def meet(interp: Interpreter, ends: list[End]) -> None:
    """All runs go on behind the expression, wherever in it they ended."""
    for end in reversed(ends):
        interp.state = join_states(end.state, interp.state, split=interp.program.adopts, usual=end.usual)
