"""Unusual runs: what an option that is not given as a rule chooses, it chooses together.

``if args.deep: scaler, net = None, wrap(net)``, ``else: scaler = Scaler()`` leaves behind the network and a scaler, since nobody knows
what the other branch makes of the network. Wherever the scaler turns out to be None, the network is that other one.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.deciding.correlated import bound_in
from devfix.analysis.domain.values import UNKNOWN, Ref, Union, Unknown, Value, members

if TYPE_CHECKING:
    from devfix.analysis.domain.state import State
    from devfix.analysis.interpreter import Interpreter


def replaced(
    interp: Interpreter, node: ast.If, then: State, other: State, *, usual: bool | None
) -> frozenset[Value]:
    """The objects that a variable usually stands for where one branch makes something of it that nobody knows."""
    if usual is None or then.dead or other.dead:
        return frozenset()
    frame, (one, another) = interp.frame.id, (then, other) if usual else (other, then)
    pairs = ((one.get(frame, name), another.get(frame, name)) for name in bound_in(node))
    return frozenset(
        mine
        for mine, theirs in pairs
        if mine is not None and isinstance(theirs, Unknown) and _is_object(mine)
    )


def keep(interp: Interpreter, node: ast.If, objects: frozenset[Value]) -> None:
    """Remember them by what else the test chose, now that its branches have met."""
    frame = interp.frame
    if objects:
        joined = (interp.state.get(frame.id, name) for name in bound_in(node))
        frame.replaced += [(value, objects) for value in joined if isinstance(value, Union)]


def assume(interp: Interpreter, node: ast.expr, kept: Value) -> None:
    """Of what such a test chose only that is left which it does not choose as a rule: nobody knows the rest of its choice."""
    found = [each for frame in interp.stack for each in frame.replaced]
    value = interp.eval(node) if found and isinstance(node, (ast.Name, ast.Attribute)) else None
    if not isinstance(value, Union) or value.usual is None:
        return
    known = [objects for chosen, objects in found if chosen == value]
    if not set(members(value.usual)).isdisjoint(members(kept)):
        return
    frame = interp.frame.id
    for name, held in list(interp.state.bound(frame).items()):
        if any(held in objects for objects in known):
            interp.state.set(frame, name, UNKNOWN)


def _is_object(value: Value) -> bool:
    return all(isinstance(member, Ref) for member in members(value))
