"""Transfer functions of statements: how each one changes the state."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from devfix.analysis.assumptions import discarding, keyed_caches, lost_items, own_files
from devfix.analysis.deciding import (
    answers,
    asked_again,
    best_so_far,
    chosen_results,
    conditions,
    correlated,
    data_tests,
    file_listings,
    first_rounds,
    read_values,
    size_tests,
    unusual_runs,
)
from devfix.analysis.deciding.refilling import refills, renewed
from devfix.analysis.domain.state import State, join_states
from devfix.analysis.domain.values import NONE, UNKNOWN, Const, Ref, Scalar, Value
from devfix.analysis.language import (
    binding,
    branches,
    cached_properties,
    construction,
    containers,
    declared_fields,
    decorators,
    definitions,
    descriptors,
    enumerations,
    handlers,
    imports,
    item_assignment,
    loops,
    open_displays,
    patterns,
    raising,
    with_statements,
)
from devfix.analysis.text import value_matches
from devfix.analysis.text.syntax import concerns_file, depends_on_data, varies
from devfix.analysis.torch_model.arrays import tables
from devfix.analysis.torch_model.loading import passing_movers
from devfix.analysis.torch_model.python import registered_classes
from devfix.analysis.torch_model.tensors import operators
from devfix.late_bodies import LATE

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def assign(interp: Interpreter, node: ast.Assign) -> None:
    """The value is bound to each target, from left to right."""
    value = interp.eval(node.value)
    discarding.lose(interp, node, value)
    lost_items.mark(interp, node, value)
    for target in node.targets:
        if not open_displays.unpack(interp, target, value, node):
            binding.bind(interp, target, value, node)
    if interp.stack[-1].chosen is not None:
        chosen_results.bound(interp, node)


def annotated_assign(interp: Interpreter, node: ast.AnnAssign) -> None:
    """With a value as an assignment; without one it declares a field, which is kept in a class alone."""
    if node.value is not None:
        binding.bind(interp, node.target, interp.eval(node.value), node)
    elif isinstance(node.target, ast.Name) and interp.frame.kind == "class":
        interp.state.set(interp.frame.id, f"annotation:{node.target.id}", UNKNOWN)


def augmented_assign(interp: Interpreter, node: ast.AugAssign) -> None:
    """A tensor is changed in place and stays where it is; of anything else the target is rebound.

    The target is evaluated twice, as a place and as an operand.
    """
    target = node.target
    load: ast.expr = target
    left = interp.eval(load)
    right = interp.eval(node.value)
    value = operators.in_place(interp, node, left, right)
    binding.bind(interp, target, value, node)


def expression(interp: Interpreter, node: ast.Expr) -> None:
    """A value that nobody keeps: a move whose result is thrown away is remembered on what was to be moved."""
    value = interp.eval(node.value)
    lost_items.mark(interp, node, value)
    discarding.discard(interp, node, value)


def if_(interp: Interpreter, node: ast.If) -> None:
    """The branch that is taken, or both, and the states behind them joined, where the test is not decided.

    In the branches holds what the test says. Which path a run without options takes is known to the join; a test
    of data keeps the two devices of a variable apart, since one run may meet both.
    """
    truth = conditions.decide(interp, node.test, node.body, node.orelse)
    if truth is None:
        truth = first_rounds.decide(interp, node.test, node.body, node.orelse)
    frame = interp.frame
    for loop in frame.loops:
        loop.note(node.test, decided=truth is not None)
    if truth is not None:
        interp.run(node.body if truth else node.orelse)
        return
    # What a file holds that was there is what is made where it was not.
    asked = file_listings.are_asked_for(interp, node.test) or read_values.are_asked_for(interp, node.test)
    alike = asked or concerns_file(node.test)
    usual = conditions.usual(interp, node.test)
    before, doubted, raised = interp.state, size_tests.doubt(interp, node), raising.count(interp)
    interp.state = before.fork()
    conditions.assume(interp, node.test, True, node)
    rounds = any(loop.node is not None and varies(node.test, loop.node) for loop in frame.loops[-1:])
    if frame.loops and isinstance(node.body[-1], ast.Continue):
        loop = frame.loops[-1]
        loop.by_data = loop.by_data or depends_on_data(node.test)
        loop.varied = loop.varied or rounds
    read = own_files.fills_up(interp, node)
    keyed = keyed_caches.begins_empty(interp, node) or read
    branches.run(interp, node.body, unusual=usual is False, alike=alike)
    then = interp.state
    caches = [(target, value) for target, value in renewed(node) if not _is_number(interp, target)]
    interp.state = before.fork()
    conditions.assume(interp, node.test, False, node)
    for target, value in caches:
        if refills(target, value) and not read:
            conditions.assume_filled(interp, target)
    branches.run(interp, node.orelse, unusual=usual is True, alike=alike)
    split = data_tests.come_out_both_ways(interp, node, before, then, rounds=rounds, fills=bool(caches))
    frame.options = frame.options or not split
    raising.depend(interp, raised, on_data=split or rounds)
    split = split or keyed or interp.program.adopts
    if alike:
        own_files.tell(interp, then, interp.state)
    chosen = correlated.outcomes(interp, node, then, interp.state)
    rounds = rounds and not best_so_far.is_beaten(node)
    others = unusual_runs.replaced(interp, node, then, interp.state, usual=usual)
    interp.state = join_states(then, interp.state, split=split, usual=usual, alike=alike, rounds=rounds)
    correlated.keep(interp, node.test, chosen)
    unusual_runs.keep(interp, node, others)
    size_tests.believe(interp, node, doubted)


def _is_number(interp: Interpreter, target: ast.expr) -> bool:
    """Whether a name was given a number, as a record that was beaten is: nothing that has a device, and would have to fit."""
    value = interp.eval(target) if isinstance(target, (ast.Name, ast.Attribute)) else None
    return isinstance(value, Scalar) or (isinstance(value, Const) and isinstance(value.value, (int, float)))


def return_(interp: Interpreter, node: ast.Return) -> None:
    """The path ends here; the value and the state are kept for the caller, unless something ended it before."""
    value = passing_movers.returned(interp, node, interp.eval(node.value)) if node.value is not None else NONE
    if not interp.state.dead:  # what was called may never return
        frame = interp.frame
        frame.returns.append((value, interp.state.fork()))
        if node.value is not None:
            frame.results.append((node.value, value))
    interp.state.dead = True


def assert_(interp: Interpreter, node: ast.Assert) -> None:
    """Behind it holds what it asserts."""
    conditions.assume_asserted(interp, node.test)


def function(interp: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """The name is bound to the function, as its decorators return it; the body waits for a call."""
    value: Value = definitions.make_function(interp, node)
    for decorator in reversed(node.decorator_list):
        value = decorators.decorate(interp, decorator, value)
    interp.assign(binding.target_frame(interp, node.name), node.name, value)


def class_(interp: Interpreter, node: ast.ClassDef) -> None:
    """The body has run when the name is bound to the class, as its decorators return it.

    Bases are evaluated first, and told of the new class (``__init_subclass__``).
    """
    bases = tuple(interp.eval(base) for base in node.bases)
    cls = definitions.make_class(interp, node, bases)
    interp.library.classes.append(cls)
    descriptors.name_all(interp, cls)
    declared_fields.take(interp, cls)
    construction.announce(interp, cls, node.keywords)
    construction.meet_metaclass(interp, cls, node.keywords)
    registered_classes.begin(interp, cls)
    enumerations.make_members(interp, cls)
    made: Value = cls
    for decorator in reversed(node.decorator_list):
        made = decorators.decorate(interp, decorator, made)
    interp.assign(binding.target_frame(interp, node.name), node.name, made)


def delete(interp: Interpreter, node: ast.Delete) -> None:
    """A name is unbound, an item is taken out; an attribute stays, unless it is to be computed anew."""
    for target in node.targets:
        if isinstance(target, ast.Name):
            interp.state.delete(interp.frame.id, target.id)
        elif isinstance(target, ast.Attribute):
            cached_properties.forget(interp, interp.eval(target.value), Const(target.attr))
        elif isinstance(target, ast.Subscript):
            container, key = interp.eval(target.value), interp.eval(target.slice)
            if isinstance(container, Ref) and isinstance(target.slice, ast.Slice):
                item_assignment.delete_slice(interp, container, target.slice)
            elif isinstance(container, Ref):
                containers.delete_item(interp, container, key)
                tables.delete(interp, container)


def global_(interp: Interpreter, node: ast.Global) -> None:
    """From here on the names are those of the module."""
    interp.frame.globals.update(node.names)


def nonlocal_(interp: Interpreter, node: ast.Nonlocal) -> None:
    """From here on the names are those of the function around this one that binds them."""
    interp.frame.nonlocals.update(node.names)


def match(interp: Interpreter, node: ast.Match) -> None:
    """The cases that the value may meet, up to the first that it is known to meet; behind it their states joined."""
    tests = value_matches.as_tests(node)
    if tests is not None:
        if_(interp, tests)
        return
    value = interp.eval(node.subject)
    left: State | None = None
    for case in node.cases:
        before = interp.state.fork()
        outcome = patterns.meets(interp, case.pattern, value)
        asked = case.guard if outcome is not False else None
        guard = answers.truth(interp, interp.eval(asked)) if asked else True
        if asked and asked_again.may_change(asked):
            after = interp.state.fork()
            before = after if outcome else join_states(before, after)
        if outcome is False or guard is False:
            interp.state = before
            continue
        interp.frame.options = interp.frame.options or outcome is None
        interp.run(case.body)
        left = interp.state if left is None else join_states(left, interp.state)
        interp.state = before
        if outcome and guard:
            interp.state.dead = True
            break
    if left is not None:
        interp.state = join_states(left, interp.state)


EXECUTORS: dict[type[ast.stmt], Callable[[Interpreter, Any], None]] = {
    ast.Assign: assign,
    ast.AnnAssign: annotated_assign,
    ast.AugAssign: augmented_assign,
    ast.Expr: expression,
    ast.If: if_,
    ast.For: loops.for_,
    ast.AsyncFor: loops.for_,
    ast.While: loops.while_,
    ast.Break: loops.break_,
    ast.Continue: loops.continue_,
    ast.Return: return_,
    ast.Raise: raising.raise_,
    ast.Assert: assert_,
    ast.Try: handlers.try_,
    ast.With: with_statements.with_,
    ast.AsyncWith: with_statements.with_,
    ast.FunctionDef: function,
    ast.AsyncFunctionDef: function,
    **dict.fromkeys(LATE, function),
    ast.ClassDef: class_,
    ast.Delete: delete,
    ast.Global: global_,
    ast.Nonlocal: nonlocal_,
    ast.Match: match,
    ast.Import: imports.import_,
    ast.ImportFrom: imports.import_from,
}
if hasattr(ast, "TryStar"):
    EXECUTORS[ast.TryStar] = handlers.try_
