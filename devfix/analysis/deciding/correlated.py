"""Correlated: a test that a function asks twice comes out the same both times, and with it what the first time chose.

``net = A() if args.large else B()`` makes ``net`` either of two; behind ``if args.large:`` it is the one. What a test
chose is known by the variable, as long as that is what came out where the branches met.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from devfix.analysis.deciding import compared_switches
from devfix.analysis.deciding.steadiness import holds_still, is_steady, loop_of
from devfix.analysis.domain.state import State, is_loaded, parted
from devfix.analysis.domain.values import Ref, Tensor, TupleValue, Union, Value
from devfix.analysis.text.syntax import remembered, statements_in, walk
from devfix.analysis.text.targets import targets

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import Frame, Loop


class Choice(NamedTuple):
    """What a variable is after a ``test`` that chose between two values for it."""

    joined: Value
    then: Value
    other: Value
    test: ast.expr


#: Values that are made where branches meet, and nowhere else are the same.
OWN = (Tensor, TupleValue, Union)

#: What the branches of a test leave in the variables that they bind.
Outcomes = Mapping[str, tuple[Value, Value]]


def assume(interp: Interpreter, part: ast.expr, outcome: bool, within: ast.If | None = None) -> None:
    """What the function chose by a test is what it chooses when it comes out as ``outcome``, for what is named ``within``."""
    frame = interp.frame
    if not frame.choices:
        return
    part, swapped = affirmed(part)
    for chosen, comes_out in chosen_by(part, outcome != swapped, frame.choices):
        _narrow(interp, part, chosen, comes_out, within)


@contextmanager
def supposed(interp: Interpreter, parts: Iterable[tuple[ast.expr, bool]]) -> Iterator[None]:
    """In the block parts of a test come out in a certain way, and what they chose is what it chose."""
    frame = interp.frame
    if not frame.choices:
        yield
        return
    names = {name for known in frame.choices.values() for name in known}
    before = {name: interp.state.get(frame.id, name) for name in names}
    for part, outcome in parts:
        assume(interp, part, outcome)
    narrowed = {name: interp.state.get(frame.id, name) for name in names}
    yield
    for name, value in narrowed.items():
        was = before[name]
        if value is not was and was is not None and interp.state.get(frame.id, name) is value:
            interp.state.set(frame.id, name, was)


def chosen_by(
    part: ast.expr, outcome: bool, choices: Mapping[str, Mapping[str, Choice]]
) -> Iterator[tuple[Mapping[str, Choice], bool]]:
    """What was chosen by tests that come out in a certain way where one does, the latest first."""
    for other in _excluded(part, choices) if outcome else ():
        yield choices[other], False
    yield choices.get(_dumped(part)) or {}, outcome


def settle(interp: Interpreter, part: ast.expr, outcome: bool) -> None:
    """Remember what an option was taken to be, of which no more is known than that."""
    if isinstance(part, (ast.Name, ast.Attribute)) and is_steady(interp, part):
        frame, key = _kept(interp, part)
        frame.settled[key] = interp.eval(part), outcome


def settled(interp: Interpreter, test: ast.expr) -> bool | None:
    """How a test comes out by what its option was taken to be before; None where none was, or it is another by now."""
    if not interp.frame.settled and not interp.stack[0].settled:
        return None
    part, swapped = affirmed(test)
    part, opposite = compared_switches.asked(interp, part)
    if not isinstance(part, (ast.Name, ast.Attribute)):
        return None
    frame, key = _kept(interp, part)
    value, outcome = frame.settled.get(key, (None, False))
    return None if value is None or interp.eval(part) != value else outcome != (swapped != opposite)


def _kept(interp: Interpreter, part: ast.Name | ast.Attribute) -> tuple[Frame, str]:
    """Where an option is remembered, and by which name: that of an object as long as the run goes on."""
    base = interp.eval(part.value) if isinstance(part, ast.Attribute) else None
    if isinstance(part, ast.Attribute) and isinstance(base, Ref):
        return interp.stack[0], f"{base.address}.{part.attr}"
    return interp.frame, _dumped(part)


def _narrow(
    interp: Interpreter, test: ast.expr, known: Mapping[str, Choice], outcome: bool, within: ast.If | None
) -> None:
    frame = interp.frame
    for name in known if within is None else [name for name in named(within) if name in known]:
        choice = known[name]
        if interp.state.get(frame.id, name) is choice.joined and holds_still(interp, choice.test, test):
            interp.state.set(frame.id, name, choice.then if outcome else choice.other)


def _excluded(test: ast.expr, asked: Mapping[str, object]) -> list[str]:
    """Tests for another text, the latest first: what is ``"a"`` has not been ``"b"``."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return []
    text = test.comparators[0]
    if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
        return []
    whole, constant = _dumped(test), _dumped(text)
    before, _, after = whole.rpartition(constant)
    start = before + constant[: constant.index("'" if "'" in constant else '"')]
    return [
        key for key in reversed(list(asked)) if key.startswith(start) and key.endswith(after) and key != whole
    ]


def outcomes(interp: Interpreter, node: ast.If, then: State, other: State) -> Outcomes:
    """What either branch of a test leaves behind, if the test would come out the same again."""
    frame = interp.frame
    if then.dead or other.dead or frame.kind == "class" or not _is_asked_again(interp, node.test):
        return {}
    key, _ = _key(node.test)
    known = {*frame.choices.get(key, ())}
    for key in _excluded(node.test, frame.choices):
        known.update(frame.choices[key])
    names = (name for name in named(node) if name in known or name in bound_in(node))
    pairs = {name: (then.get(frame.id, name), other.get(frame.id, name)) for name in names}
    found = {name: (a, b) for name, (a, b) in pairs.items() if a is not None and b is not None and a is not b}
    _tell_made(interp, node.test, found, then, other)
    return found


def outcomes_of_expression(
    interp: Interpreter, node: ast.IfExp, values: tuple[Value, Value], then: State, other: State
) -> None:
    """The same for the objects that ``this if test else that`` makes."""
    if not then.dead and not other.dead and _is_asked_again(interp, node.test):
        _tell_made(interp, node.test, {"": values}, then, other)


def _tell_made(interp: Interpreter, test: ast.expr, found: Outcomes, then: State, other: State) -> None:
    """What a test made before is on both paths what the one made of it; what either makes now is remembered."""
    key, swapped = _key(test)
    known = interp.frame.made
    _agree(known.get(key, ()), *((other, then) if swapped else (then, other)))
    made = _made(found, then, other)
    if made:
        known[key] = frozenset((address, first != swapped) for address, first in made)


def _made(found: Outcomes, then: State, other: State) -> set[tuple[int, bool]]:
    """The objects that only one of two branches made, the first where it says so, if it gave a variable one of them."""
    pairs = (
        (a, b, state) for each in found.values() for a, b, state in ((*each, other), (*each[::-1], then))
    )
    if not any(
        isinstance(value, Ref) and value != beside and state.held(value.address) is None
        for value, beside, state in pairs
    ):
        return set()
    made = set()
    for address in parted(then, other)[1]:
        mine, theirs = then.held(address), other.held(address)
        if (mine is None) is not (theirs is None):
            made.add((address, theirs is None))
    return made


def _agree(made: Iterable[tuple[int, bool]], then: State, other: State) -> None:
    """What one branch of a test made is what the same branch makes of it later: where the test comes out otherwise there is none."""
    for address, first in made:
        here, there = (then, other) if first else (other, then)
        obj = here.held(address)
        if obj is not None and there.held(address) is not obj:
            there.write(address, here.read(address) or obj)


def keep(interp: Interpreter, test: ast.expr, found: Outcomes) -> None:
    """Remember what a test chose, now that its branches have met.

    What was chosen before, and was only taken to be what it was, is what it has been all the time.
    """
    if not found:
        return
    frame = interp.frame
    key, swapped = _key(test)
    excluded = [frame.choices[each] for each in _excluded(test, frame.choices)]
    known = frame.choices.setdefault(key, {})
    for name, (a, b) in found.items():
        then, other = (b, a) if swapped else (a, b)
        narrowed = next(
            (each[name] for each in excluded if name in each and each[name].joined is other), None
        )
        if narrowed is not None and narrowed.other is then:
            interp.state.set(frame.id, name, other)
            continue
        before = known.get(name)
        if before is not None and before.then is then and before.other is other:
            interp.state.set(frame.id, name, before.joined)
            continue
        joined = interp.state.get(frame.id, name)
        if joined is not None and _tells_choice(interp, joined, then, other):
            known[name] = Choice(joined, then, other, test)


def _tells_choice(interp: Interpreter, joined: Value, then: Value, other: Value) -> bool:
    """Whether a value is known to be what came of a choice: it is neither of the two, or stands for what a file holds as well."""
    if joined is not then and joined is not other:
        return isinstance(joined, OWN)
    read, made = (other, then) if joined is then else (then, other)
    return (
        isinstance(made, (*OWN, Ref)) and is_loaded(interp.state, read) and not is_loaded(interp.state, made)
    )


def parted_alike(interp: Interpreter, host: Tensor) -> bool:
    """Whether the function's own steady test left a tensor on the CPU: then it did so each time that it was asked."""
    lives = [life[0] for life in (host.trail, *host.roots) if life]
    for known in interp.frame.choices.values():
        for choice in known.values():
            left = choice.joined.split if isinstance(choice.joined, Tensor) else None
            if left is not None and left.trail and left.trail[0] in lives:
                return True
    return False


def keep_expression(interp: Interpreter, node: ast.IfExp, joined: Value, then: Value, other: Value) -> None:
    """The same for ``name = this if test else that``."""
    statement = interp.frame.statement
    if not isinstance(statement, ast.Assign) or statement.value is not node:
        return
    if not _tells_choice(interp, joined, then, other) or not _is_asked_again(interp, node.test):
        return
    key, swapped = _key(node.test)
    choice = Choice(joined, *((other, then) if swapped else (then, other)), node.test)
    names = [target.id for target in statement.targets if isinstance(target, ast.Name)]
    interp.frame.choices.setdefault(key, {}).update(dict.fromkeys(names, choice))


def _key(test: ast.expr) -> tuple[str, bool]:
    """What a test asks, and whether it asks for the opposite."""
    part, swapped = affirmed(test)
    return _dumped(part), swapped


def _is_asked_again(interp: Interpreter, test: ast.expr) -> bool:
    """Whether a test comes out the same where it is asked again: for good, or until the round of a loop ends."""
    if is_steady(interp, test):
        return True
    loop = loop_of(interp, test)
    if loop is not None:
        loop.asked.add(_key(test)[0])
    return loop is not None


def end_round(interp: Interpreter, loop: Loop) -> None:
    """What the next round brings tests may answer otherwise."""
    for key in loop.asked:
        interp.frame.choices.pop(key, None)
        interp.frame.made.pop(key, None)
    loop.asked.clear()


_OPPOSITES: dict[type, type[ast.cmpop]] = {
    ast.NotIn: ast.In, ast.NotEq: ast.Eq, ast.IsNot: ast.Is, ast.LtE: ast.Gt, ast.GtE: ast.Lt,
}  # fmt: skip


@remembered
def affirmed(test: ast.expr) -> tuple[ast.expr, bool]:
    """A test without the ``not`` before it or in it, and whether it was one."""
    swapped = False
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, swapped = test.operand, not swapped
    if isinstance(test, ast.BinOp) and isinstance(test.op, ast.Mod):  # a remainder is true where it is not 0
        test = ast.copy_location(ast.Compare(test, [ast.NotEq()], [ast.Constant(0)]), test)
    if _asks_for_odd(test):
        test, swapped = (
            ast.copy_location(ast.Compare(test.left, test.ops, [ast.Constant(0)]), test),
            not swapped,
        )
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _OPPOSITES:
        affirmed = ast.Compare(test.left, [_OPPOSITES[type(test.ops[0])]()], test.comparators)
        return ast.copy_location(affirmed, test), not swapped
    return test, swapped


def _asks_for_odd(test: ast.expr) -> TypeGuard[ast.Compare]:
    """Whether a test is ``i % 2 == 1``."""
    if not isinstance(test, ast.Compare) or not isinstance(test.left, ast.BinOp) or len(test.ops) != 1:
        return False
    halves = isinstance(test.left.op, ast.Mod) and ast.unparse(test.left.right) == "2"
    return halves and isinstance(test.ops[0], (ast.Eq, ast.NotEq)) and ast.unparse(test.comparators[0]) == "1"


@remembered
def _dumped(test: ast.expr) -> str:
    return ast.dump(test)


@remembered
def named(node: ast.If) -> frozenset[str]:
    """All names in a test and its branches."""
    return frozenset(part.id for part in walk(node) if isinstance(part, ast.Name))


@remembered
def bound_in(node: ast.If) -> frozenset[str]:
    """The names that the branches of a test bind."""
    return frozenset(
        target.id for part in statements_in(node) for target in targets(part) if isinstance(target, ast.Name)
    )
