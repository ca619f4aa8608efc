"""Callers' choices: a test that a caller asked comes out the same in what it calls, and with it what the caller chose.

A function that makes ``net`` either of two by ``args.kind`` may hand it on to another that asks for ``args.kind`` again.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from devfix.analysis.deciding import correlated
from devfix.analysis.deciding.correlated import OWN, Choice
from devfix.analysis.deciding.steadiness import is_steady, options_in
from devfix.analysis.domain.values import Ref, Union, Value
from devfix.analysis.text.scope_names import parameters_of
from devfix.analysis.text.syntax import remembered, statements_in, walk

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import Frame


def assume(interp: Interpreter, part: ast.expr, outcome: bool, within: ast.If | None = None) -> None:
    """What was chosen by a test, here or by a caller, is what it chooses when it comes out as ``outcome``."""
    correlated.assume(interp, part, outcome, within)
    callers = [each for each in interp.stack[:-1] if each.choices]
    if not callers or interp.frame.function is None:
        return
    part, swapped = correlated.affirmed(part)
    for caller in callers:
        if _asks_the_same(interp, caller, part):
            for known, comes_out in correlated.chosen_by(part, outcome != swapped, caller.choices):
                _narrow(interp, known, comes_out, within)


def _asks_the_same(interp: Interpreter, caller: Frame, test: ast.expr) -> bool:
    """Whether a test of options asks a function for what it asks its caller: for the same variables, or the same objects.

    What the function itself gives another value is no longer what its caller asked for.
    """
    if not options_in(test) or not is_steady(interp, test):
        return False
    names = (name.id for name in walk(test) if isinstance(name, ast.Name))
    return all(_is_the_same(interp, caller, name) for name in names)


def _is_the_same(interp: Interpreter, caller: Frame, name: str) -> bool:
    (at, here), (there, given) = (_found(interp, frame, name) for frame in (interp.frame, caller))
    return here is not None and (at == there or (isinstance(here, Ref) and here == given))


def _found(interp: Interpreter, frame: Frame, name: str) -> tuple[int, Value | None]:
    """The frame that has a variable, the function's own or that of its module, and what it holds."""
    own = interp.state.get(frame.id, name)
    return (frame.id, own) if own is not None else (frame.module, interp.state.get(frame.module, name))


def _narrow(interp: Interpreter, known: Mapping[str, Choice], outcome: bool, within: ast.If | None) -> None:
    """What a caller chose is what the test chooses, under whatever name the function was given it, or has it since."""
    frame = interp.frame
    if frame.function is None or not known:
        return
    parameters = [each.arg for each in parameters_of(frame.function.node)]
    given = {name: interp.state.get(frame.id, name) for name in parameters}
    for name in correlated.named(within) if within is not None else parameters:
        value = interp.state.get(frame.id, name)
        # Another variable may be of the same members by a choice of the function's own.
        if name not in given and not any(value is each for each in given.values()):
            continue
        choice = _choice_of(value, known)
        if choice is not None:
            interp.state.set(frame.id, name, choice.then if outcome else choice.other)


def _choice_of(value: Value | None, known: Mapping[str, Choice]) -> Choice | None:
    """The choice that made a value; None where several may have, of the same members the other way round."""
    if (made := next((each for each in known.values() if each.joined is value), None)) is not None:
        return made
    alike = [each for each in known.values() if _are_the_same(value, each.joined)]
    agree = all((each.then, each.other) == (alike[0].then, alike[0].other) for each in alike)
    return alike[0] if alike and agree else None


def _are_the_same(one: Value | None, other: Value) -> bool:
    """Whether a value may be the same things as another, in whatever order."""
    if not isinstance(one, Union) or not isinstance(other, Union) or len(one.members) != len(other.members):
        return False
    return all(member in other.members for member in one.members)


def of_script(interp: Interpreter, node: ast.Name, value: Value) -> Value:
    """What a name of the script is where a function has asked for what the script chose it by."""
    frame, script = interp.frame, interp.stack[0]
    if (
        not script.choices
        or frame.function is None
        or frame.module != script.id
        or not isinstance(value, OWN)
    ):
        return value
    for test, outcome in _guards(frame.function.node).get(node, ()):
        for choice, comes_out in _told(interp, script, test, outcome, node.id):
            if choice.joined is value:
                return choice.then if comes_out else choice.other
    return value


def _told(
    interp: Interpreter, script: Frame, test: ast.expr, outcome: bool, name: str
) -> Iterator[tuple[Choice, bool]]:
    """What the script chose for a variable by a test that a function asks, and how that comes out."""
    part, swapped = correlated.affirmed(test)
    if _asks_the_same(interp, script, part):
        for known, comes_out in correlated.chosen_by(part, outcome != swapped, script.choices):
            if name in known:
                yield known[name], comes_out


@remembered
def _guards(function: ast.AST) -> dict[ast.Name, list[tuple[ast.expr, bool]]]:
    """The names in the branches of a function's tests of options, with these tests and how they come out."""
    guards: dict[ast.Name, list[tuple[ast.expr, bool]]] = {}
    for part in statements_in(function):
        if not isinstance(part, ast.If):
            continue
        for branch, outcome, whole in ((part.body, True, ast.And), (part.orelse, False, ast.Or)):
            each_holds = isinstance(part.test, ast.BoolOp) and isinstance(part.test.op, whole)
            tests = part.test.values if each_holds and isinstance(part.test, ast.BoolOp) else [part.test]
            asked = [(test, outcome) for test in tests if options_in(test)]
            for name in (each for statement in branch for each in walk(statement) if asked):
                if isinstance(name, ast.Name):
                    guards.setdefault(name, []).extend(asked)
    return guards
