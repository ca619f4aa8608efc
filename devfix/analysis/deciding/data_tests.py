"""Tests of data: those that come out both ways in one run, so that it meets what either branch leaves behind."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from devfix.analysis.deciding import best_so_far, counted_rows, file_listings, in_turn, lookups
from devfix.analysis.deciding.refilling import grows
from devfix.analysis.domain.state import State, parted
from devfix.analysis.domain.values import Obj, Tensor, Value
from devfix.analysis.reuse import reads
from devfix.analysis.text.scope_names import targets
from devfix.analysis.text.syntax import (
    called,
    data_names,
    depends_on_data,
    names_in,
    remembered,
    spelt,
    statements_in,
    statements_of,
    varies,
    walk,
)

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Calls that draw a number.
_DRAWING = frozenset("random rand uniform random_sample randint randrange".split())
#: Calls that draw one of a few things, which may be told by what it is equal to.
_CHOOSING = frozenset({"choice", "randint", "randrange", "integers"})
_ORDERING = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_TELLING = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)


def come_out_both_ways(
    interp: Interpreter, node: ast.If, before: State, then: State, *, rounds: bool, fills: bool
) -> bool:
    """Whether a run takes both branches, one after the other; ``then`` is the state behind the first of them.

    ``rounds``: the test asks for what each round of a loop brings; ``fills``: a branch makes anew what it asks for.
    """
    test = node.test
    if prepares(node):
        return False
    if lookups.may_miss(interp, node, before):
        return True
    if fills or (best_so_far.is_beaten(node) and not _takes_to_host(then, interp.state)):
        return False
    if depends_on_data(test) or _names_data(interp, test) or grows(node):
        return True
    if counted_rows.are_asked_for(interp, test):
        return True
    if file_listings.are_asked_for(interp, test):
        return True
    if _compares_count(interp, test) and not _sets_up(then, interp.state):
        return True
    loop = interp.frame.loops[-1].node if rounds else None
    if loop is not None and not node.orelse and asks_for_rest(test, loop):
        return True
    around = interp.frame.loops[-1].node if interp.frame.loops else None
    if around is not None and _asks_for_name(test, around) and _takes_to_host(then, interp.state):
        return True
    if in_turn.binds_in_turn(interp, node, _named(then, interp.state)):
        return True
    return rounds and not node.orelse and _compares_numbers(test) and _takes_to_host(then, interp.state)


@remembered
def prepares(node: ast.If) -> bool:
    """Whether a statement asks an object for its state, and has it do something: ``if not x.ready(): x.prepare()``.

    Where it is passed over that was done before, and left behind what it leaves now.
    """
    calls = [each.value for each in node.body if isinstance(each, ast.Expr)]
    if node.orelse or not calls:
        return False
    done = {_receiver(call) for call in calls}
    return any(isinstance(part, ast.Attribute) and spelt(part.value) in done for part in walk(node.test))


def _receiver(call: ast.expr) -> str | None:
    """Whose method a call calls, as it is spelt."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    return spelt(call.func.value)


def differs_by_round(interp: Interpreter, test: ast.expr) -> bool:
    """Whether a test asks for what counts the rounds of a loop around it, or for how much a round brings."""
    loops = interp.frame.loops
    if any(loop.grown and not loop.grown.isdisjoint(names_in(test)) for loop in loops):
        return True
    return any(loop.node is not None and asks_for_rest(test, loop.node) for loop in loops)


def asks_for_rest(test: ast.expr, loop: ast.For | ast.AsyncFor) -> bool:
    """Whether a size that each round brings is compared with what none changes: the last batch is smaller than the others."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    for size, other in ((test.left, test.comparators[0]), (test.comparators[0], test.left)):
        if isinstance(size, ast.Name) and size.id in _sizes(loop) and not varies(other, loop):
            return isinstance(other, (ast.Name, ast.Attribute, ast.Constant))
    return False


def _asks_for_name(test: ast.expr, loop: ast.For | ast.AsyncFor) -> bool:
    """Whether a test is of the kind ``"weight" in name``, of a name that each round brings: some are so and some are not."""
    texts: tuple[ast.expr, ...] = ()
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.In, ast.NotIn)):
        texts = (test.left, *test.comparators)
    elif isinstance(test, ast.Call) and getattr(test.func, "attr", "") in ("startswith", "endswith"):
        texts = (test.func.value, *test.args) if isinstance(test.func, ast.Attribute) else ()
    if len(texts) != 2 or not any(isinstance(each, ast.Constant) for each in texts):
        return False
    return any(isinstance(each, ast.Name) and each.id in target_names(loop) for each in texts)


@remembered
def target_names(loop: ast.For | ast.AsyncFor) -> frozenset[str]:
    """The names that a loop itself binds."""
    return frozenset(part.id for part in walk(loop.target) if isinstance(part, ast.Name))


@remembered
def _sizes(loop: ast.For | ast.AsyncFor) -> frozenset[str]:
    """The names that a loop binds to sizes alone: ``n = x.size(0)``, ``b, c = x.shape``."""
    parts = [part for statement in (loop.target, *loop.body) for part in walk(statement)]
    stored = Counter(
        part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    )
    sized = Counter(
        name.id
        for part in parts
        if isinstance(part, ast.Assign) and len(part.targets) == 1 and _is_size(part.value)
        for name in walk(part.targets[0])
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    )
    return frozenset(name for name, times in sized.items() if times == stored[name])


def _is_size(value: ast.expr) -> bool:
    while isinstance(value, ast.Subscript):
        value = value.value
    if isinstance(value, ast.Call):
        func = value.func
        return getattr(func, "id", "") == "len" or getattr(func, "attr", "") == "size"
    return isinstance(value, ast.Attribute) and value.attr == "shape"


def _compares_count(interp: Interpreter, test: ast.expr) -> bool:
    """Whether a test puts a bound to what the function, or the class of its method, counts: sooner or later a run passes it."""
    if not isinstance(test, ast.Compare) or not all(isinstance(op, _ORDERING) for op in test.ops):
        return False
    function = interp.frame.function
    if function is None:
        return False
    asked = {spelt(each) for each in (test.left, *test.comparators)}
    kept = _counted(function.owner.node) if function.owner is not None else ()
    return not asked.isdisjoint(_counted(function.node)) or any(
        "." in each for each in asked.intersection(kept)
    )


@remembered
def _counted(around: ast.AST) -> frozenset[str]:
    """What is counted up somewhere in a function or class, as it is spelt."""
    parts = statements_in(around)
    steps = (part for part in parts if isinstance(part, ast.AugAssign) and isinstance(part.op, ast.Add))
    return frozenset(filter(None, (spelt(step.target) for step in steps)))


def _sets_up(then: State, other: State) -> bool:
    """Whether a branch takes something to the accelerator that is on the CPU without it: the next call finds it there."""
    return any(
        mine.device.is_accelerator and theirs.device.kind == "cpu" for mine, theirs in _tensors(then, other)
    )


def _takes_to_host(then: State, other: State) -> bool:
    """Whether a branch takes something to the CPU, and nothing to the accelerator: there the next round finds it.

    What the first round sets up, as ``if epoch == 0: model.to(device)`` does, no other finds where it was before.
    """
    moved = {(mine.device.kind, theirs.device.kind) for mine, theirs in _tensors(then, other)}
    return ("cpu", "accelerator") in moved and ("accelerator", "cpu") not in moved


def _tensors(a: State, b: State) -> Iterator[tuple[Tensor, Tensor]]:
    """What two states, which were one, have under the same names."""
    for _, mine, theirs in _named(a, b):
        if isinstance(mine, Tensor) and isinstance(theirs, Tensor):
            yield mine, theirs


def _named(a: State, b: State) -> Iterator[tuple[str, Value, Value]]:
    """All that they have under the same names, with the name."""
    frames, heap = parted(a, b)
    named = [(a.bound(frame), b.bound(frame)) for frame in frames]
    objects = ((a.read(address), b.read(address)) for address in heap)
    held = [
        (_held(mine), _held(theirs)) for mine, theirs in objects if mine is not None and theirs is not None
    ]
    for mine, theirs in (*named, *held):
        for name, value in mine.items():
            other = theirs.get(name)
            if other is not None and other is not value:
                yield name, value, other


def _held(obj: Obj) -> Mapping[str, Value]:
    return obj.attrs if obj.place is None else {**obj.attrs, "": obj.place}


def _names_data(interp: Interpreter, test: ast.expr) -> bool:
    """Whether a test is a name that the function or script around gave to a test of data, or its opposite."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    if not isinstance(test, ast.Name):
        return compares_draw(interp, test)
    return test.id in data_names(reads.scope(interp)) or test.id in _told_by_rounds(reads.scope(interp))


def is_of_data(interp: Interpreter, test: ast.expr) -> bool:
    """Whether a test is none of options although nothing but names stands in it: of a draw, of what a round brought, or of how much a tensor holds."""
    if isinstance(test, ast.Name):
        return test.id in _told_by_rounds(reads.scope(interp))
    return compares_draw(interp, test) or counted_rows.are_asked_for(interp, test)


@remembered
def _told_by_rounds(scope: ast.AST) -> frozenset[str]:
    """The flags that are true or false by what each round of a loop brings: ``if y[0] < 0: known = False``, else true."""
    told: set[str] = set()
    for loop in statements_in(scope):
        if isinstance(loop, (ast.For, ast.AsyncFor)):
            for part in statements_in(loop):
                if isinstance(part, ast.If) and varies(part.test, loop):
                    told |= _flagged(part.body) & _flagged(part.orelse)
    if not told:
        return frozenset()
    values = [part for part in statements_of(scope) if isinstance(part, ast.Assign)]
    others = (part for part in values if not _is_truth(part.value))
    return frozenset(told.difference(*(map(_bound_by, others))))


def _flagged(branch: list[ast.stmt]) -> set[str]:
    """The names that a branch gives a truth."""
    given = [part for part in branch if isinstance(part, ast.Assign) and _is_truth(part.value)]
    return set().union(*map(_bound_by, given))


def _bound_by(statement: ast.Assign) -> set[str]:
    return set().union(*map(targets, statement.targets))


def _is_truth(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, bool)


def compares_draw(interp: Interpreter, test: ast.expr) -> bool:
    """Whether a test compares what the function or script around it drew: ``sample = random.random()``, ``sample > least``."""
    if isinstance(test, ast.BoolOp):
        return any(compares_draw(interp, part) for part in test.values)
    if not isinstance(test, ast.Compare):
        return False
    names = {each.id for each in (test.left, *test.comparators) if isinstance(each, ast.Name)}
    if not names:
        return False
    if all(isinstance(op, _ORDERING) for op in test.ops):
        return not names.isdisjoint(_drawn(reads.scope(interp)))
    return (
        len(test.ops) == 1
        and isinstance(test.ops[0], _TELLING)
        and not names.isdisjoint(_chosen(reads.scope(interp)))
    )


@remembered
def _drawn(scope: ast.AST) -> frozenset[str]:
    """The names that a function or script gives to random numbers alone."""
    return _given(scope, _DRAWING)


@remembered
def _chosen(scope: ast.AST) -> frozenset[str]:
    """The names that a function or script gives to one of a few things alone, which is drawn, and asks for in one place.

    Another test of the same thing, or whoever is given it, may tell what came of the first.
    """
    names = _given(scope, _CHOOSING)
    if not names:
        return names
    read = Counter(_names_read(scope))
    found = {name for tests in _chains(scope) for name, times in tests.items() if times == read[name]}
    return names & found


def _names_read(node: ast.AST) -> Iterator[str]:
    return (part.id for part in walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load))


def _chains(scope: ast.AST) -> Iterator[Counter[str]]:
    """What the tests of each ``if`` name, those of its ``elif`` included, and what a ``match`` asks about; how often."""
    statements = list(statements_of(scope))
    ifs = [node for node in statements if isinstance(node, ast.If)]
    further = {node.orelse[0] for node in ifs if len(node.orelse) == 1}
    for node in statements:
        if isinstance(node, ast.Match):
            yield Counter(_names_read(node.subject))
        elif isinstance(node, ast.If) and node not in further:
            tests = [node.test]
            rest = node.orelse
            while len(rest) == 1 and isinstance(rest[0], ast.If):
                tests.append(rest[0].test)
                rest = rest[0].orelse
            yield Counter(name for test in tests for name in _names_read(test))


def _given(scope: ast.AST, draws: frozenset[str]) -> frozenset[str]:
    found: dict[str, list[bool]] = {}
    for part in statements_of(scope):
        if isinstance(part, ast.Assign) and len(part.targets) == 1 and isinstance(part.targets[0], ast.Name):
            found.setdefault(part.targets[0].id, []).append(_is_draw(part.value, draws))
    return frozenset(name for name, kinds in found.items() if all(kinds))


def _is_draw(value: ast.expr, draws: frozenset[str]) -> bool:
    """Whether a value is ``random.random()`` or the like, or the number in it."""
    if not isinstance(value, ast.Call):
        return False
    owner = value.func.value if isinstance(value.func, ast.Attribute) else None
    of_number = called(value) in ("item", "int") and len(value.args) <= 1
    inner = value.args[0] if of_number and value.args else owner if of_number else None
    return called(value) in draws or (inner is not None and _is_draw(inner, draws))


def _compares_numbers(test: ast.expr) -> bool:
    """Whether a test is of the kind ``epoch > 1``, ``loss < best`` or ``epoch == 5``, on which more may be put."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(map(_compares_numbers, test.values))
    if not isinstance(test, ast.Compare):
        return False
    operands = (test.left, *test.comparators)
    counts = any(isinstance(each, ast.Constant) and isinstance(each.value, (int, float)) for each in operands)
    return all(isinstance(op, _ORDERING) or (isinstance(op, ast.Eq) and counts) for op in test.ops)


def asked_where_they_are(interp: Interpreter, test: ast.expr) -> Iterator[tuple[ast.expr, Tensor]]:
    """The tensors that one path leaves on the CPU whose device a test asks for, other than by ``x.is_cuda``."""
    for asked in _places_asked(test):
        value = interp.eval(asked)
        if isinstance(value, Tensor) and value.is_parted:
            yield asked, value


@remembered
def _places_asked(test: ast.expr) -> tuple[ast.expr, ...]:
    asked = (part for part in walk(test) if isinstance(part, ast.Attribute))
    return tuple(
        part.value
        for part in asked
        if part.attr in ("device", "get_device") and isinstance(part.value, (ast.Name, ast.Attribute))
    )
