"""Conditional expressions: ``this if test else that``, of which either part may be what it comes to."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.assumptions import changing_globals
from devfix.analysis.assumptions.usual_values import at_times
from devfix.analysis.deciding import conditions, correlated, in_turn, lookups, read_values
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_values, usually
from devfix.analysis.domain.values import UNKNOWN, DTypeValue, Tensor, Value, without_none
from devfix.analysis.language import branches
from devfix.analysis.text.syntax import names_in
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def evaluate(interp: Interpreter, node: ast.IfExp) -> Value:
    """The value of the branch that is taken, or what both have in common where the test is not decided.

    Of two dtypes the one without options counts. Two devices stay apart where a device was just chosen.
    """
    truth = conditions.decide_expression(interp, node)
    if truth is not None:
        return interp.eval(node.body if truth else node.orelse)
    usual = conditions.usual(interp, node.test)
    missing = read_values.may_be_missing(interp, node.test)
    body, orelse = branches.evaluate(interp, node, usual)
    if body is None or orelse is None:
        interp.state.dead = interp.state.dead or body is orelse
        return body or orelse or UNKNOWN
    if missing and (made := read_values.made_instead(interp, [body, orelse])) is not None:
        correlated.keep_expression(interp, node, made, body, orelse)
        return made
    if changing_globals.asks_for_flag(interp, node.test) and not isinstance(body, Tensor):
        return UNKNOWN  # which device it names, say
    if (truth := conditions.decide_devices(interp, node, body, orelse)) is not None:
        return body if truth else orelse
    if isinstance(body, DTypeValue) and isinstance(orelse, DTypeValue):  # an option that chooses a dtype
        return join_values(body, orelse) if usual is None else body if usual else orelse
    if interp.program.adopts:
        _agree(interp, node, body, orelse)
    turns = usual is None and in_turn.chooses_in_turn(interp, node, body, orelse)
    kept = lookups.may_miss(interp, node, interp.state)
    if kept:
        body, orelse = without_none(body), without_none(orelse)
    joined = join_values(body, orelse, split=turns or kept or interp.program.adopts)
    if isinstance(joined, Tensor) and joined.is_parted and names_in(node.test) & {"is_cuda", "device"}:
        joined = replace(joined, split=None)  # what is done about it depends on where it is
    if usual is not None:
        joined = usually(joined, body if usual else orelse)
    elif turns:
        joined = at_times(joined)
    correlated.keep_expression(interp, node, joined, body, orelse)
    return joined


def _agree(interp: Interpreter, node: ast.IfExp, body: Value, orelse: Value) -> None:
    """Where a device has just been chosen, either of two tensors is meant to be on it."""
    pairs = ((body, node.body), (orelse, node.orelse))
    parts = [Part(value, "choice", part) for value, part in pairs if isinstance(value, Tensor)]
    kinds = {part.tensor.device.kind for part in parts if part.tensor.rank != 0}
    if kinds == {"cpu", "accelerator"}:
        requirements.record(interp, node, "choice", "device", parts)
