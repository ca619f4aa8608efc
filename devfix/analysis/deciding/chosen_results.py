"""Chosen results: a test that chose an object has chosen what the object's calls give, too.

``net = A() if args.large else B()`` makes ``net`` either of two, and ``y = net(x)`` one of two results; behind
``if args.large:`` it is that of the one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from devfix.analysis.deciding.correlated import OWN, Choice
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.values import BoundMethod, ExternalMethod, TupleValue, Value, members
from devfix.analysis.language import fitting
from devfix.analysis.language.frames import ChosenResults
from devfix.analysis.torch_model.python import command_line

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def of_any(
    interp: Interpreter,
    call: ast.expr,
    callees: tuple[Value, ...],
    outcome: Callable[[Value], Value],
    *,
    usual: Value | None,
    whole: bool,
) -> Value:
    """What a call gives of which nobody knows which callable it is of; each may be the ``whole`` run: see ``Interpreter.either``."""
    found = []

    def of_one(callee: Value) -> Value:
        found.append((_object(callee), outcome(callee)))
        return found[-1][1]

    chosen = fitting.are_alternatives(interp, callees)
    commands = [callee for callee in callees if whole or command_line.is_command(callee)]
    result = interp.either(callees, of_one, chosen=chosen, usual=usual, whole=commands)
    interp.frame.chosen = _by_test(interp, call, found)
    return result


def _by_test(interp: Interpreter, call: ast.expr, found: list[tuple[Value, Value]]) -> ChosenResults | None:
    frame = interp.frame
    statement = frame.statement
    if not frame.choices or not isinstance(statement, ast.Assign) or statement.value is not call:
        return None
    name = _receiver(call)
    owner = interp.state.get(frame.id, name) if name else None
    by_test = {}
    for key, known in frame.choices.items():
        choice = known.get(name)
        if choice is not None and choice.joined is owner:
            then, other = (_given(found, members(each)) for each in (choice.then, choice.other))
            if then and other:
                by_test[key] = join_all(then, split=True), join_all(other, split=True), choice.test
    return ChosenResults(call, by_test) if by_test else None


def bound(interp: Interpreter, node: ast.Assign) -> None:
    """The results have been bound: the names stand for what was chosen."""
    frame = interp.frame
    results, frame.chosen = frame.chosen, None
    if results is None or results.call is not node.value:
        return
    for key, (then, other, test) in results.by_test.items():
        for name, one, another in (each for target in node.targets for each in _named(target, then, other)):
            joined = interp.state.get(frame.id, name)
            if isinstance(joined, OWN) and one is not another:
                frame.choices[key][name] = Choice(joined, one, another, test)


def _receiver(call: ast.expr) -> str:
    """``net`` of ``net(x)`` and ``net.method(x)``."""
    called = call.func if isinstance(call, ast.Call) else call
    called = called.value if isinstance(called, ast.Attribute) else called
    return called.id if isinstance(called, ast.Name) else ""


def _object(callee: Value) -> Value:
    return callee.receiver if isinstance(callee, (BoundMethod, ExternalMethod)) else callee


def _given(pairs: Iterable[tuple[Value, Value]], among: tuple[Value, ...]) -> list[Value]:
    return [value for callee, value in pairs if callee in among]


def _named(target: ast.expr, then: Value, other: Value) -> Iterator[tuple[str, Value, Value]]:
    """The names of a target, each with its part of two values."""
    if isinstance(target, ast.Name):
        yield target.id, then, other
    elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(then, TupleValue):
        parts = other.items if isinstance(other, TupleValue) else ()
        if len(then.items) == len(parts) == len(target.elts):
            for each, one, another in zip(target.elts, then.items, parts, strict=True):
                yield from _named(each, one, another)
