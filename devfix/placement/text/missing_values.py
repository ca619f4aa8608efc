"""Missing values: names that stand for None in some runs, where nothing in sight asks whether they do."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import Binding
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import defaults_of
from devfix.analysis.text.syntax import in_rows, remembered
from devfix.placement.devices.boundness import binds_always
from devfix.placement.devices.constructed import statement_of
from devfix.placement.text.none_tests import Outcome, fails_for_none, is_use, when_none

#: What a test comes to for those who do not take the branch of what is true, and of what is false.
_UNLESS_TRUE = frozenset({Outcome.FALSE, Outcome.FAILS, Outcome.ASKED})
_UNLESS_FALSE = frozenset({Outcome.TRUE, Outcome.FAILS, Outcome.ASKED})
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def may_be_none(facts: Facts, outline: Outline, node: ast.AST) -> bool:
    """Whether a name was seen to stand for None where it may still do, so that no method can be called on it there.

    An attribute may, where a method other than the constructor sets it to None, and nothing is asked about it.
    """
    if isinstance(node, ast.Attribute):
        return _is_emptied(outline, node)
    if not isinstance(node, ast.Name) or not reaches(facts, outline, node):
        return False
    return not _is_asked_around(outline, node) and not _is_asked_before(outline, node)


def _is_emptied(outline: Outline, node: ast.Attribute) -> bool:
    function = outline.function_of(node)
    cls = outline.class_of(function) if isinstance(node.value, ast.Name) and function is not None else None
    if function is None or cls is None or getattr(node.value, "id", "") != outline.receiver_name(function):
        return False
    return node.attr in _emptied(cls) and node.attr not in _asked(function)


@remembered
def _emptied(cls: ast.ClassDef) -> frozenset[str]:
    """The attributes that methods of a class set to None, the constructor aside."""
    methods = (each for each in cls.body if isinstance(each, ast.FunctionDef) and each.name != "__init__")
    stores = (part for method in methods for part in in_rows(method) if isinstance(part, ast.Assign))
    return frozenset(
        part.attr
        for store in stores
        for target in store.targets
        for part in in_rows(target)
        if isinstance(part, ast.Attribute) and _is_none_for(target, store.value, ast.unparse(part))
    )


@remembered
def _asked(function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """The attributes that stand in the tests of branches and loops of a function, or in what it asserts."""
    branches = (ast.If, ast.IfExp, ast.While, ast.Assert)
    tests = (part.test for part in in_rows(function) if isinstance(part, branches))
    return frozenset(part.attr for test in tests for part in in_rows(test) if isinstance(part, ast.Attribute))


def reaches(facts: Facts, outline: Outline, node: ast.Name) -> bool:
    """Whether the None that a name was seen to stand for may get to a place, whatever is asked on the way."""
    bindings = facts.bindings(outline.source.path, outline.scopes(node)[0]).get(node.id, [])
    return any(
        _holds_at(outline, each, bindings, node)
        for each in bindings
        if each.kind == "none" or chooses_none(statement_of(outline, each), node.id)
    )


def is_given_none(facts: Facts, outline: Outline, call: ast.AST) -> bool:
    """Whether a call may be given None in some runs, of which it may make what is no tensor: ``mask = kept(ids)``."""
    given = (*call.args, *(each.value for each in call.keywords)) if isinstance(call, ast.Call) else ()
    return any(may_be_none(facts, outline, part) for part in given)


def is_none_by_default(outline: Outline, node: ast.AST) -> bool:
    """Whether a name is a parameter that is None for callers who leave it out, even if none of those in sight does."""
    function = outline.function_of(node)
    if not isinstance(node, ast.Name) or function is None or _is_asked_around(outline, node):
        return False
    return any(
        parameter.arg == node.id and isinstance(default, ast.Constant) and default.value is None
        for parameter, default in defaults_of(function.args)
    )


def chooses_none(statement: ast.stmt | None, name: str) -> bool:
    """Whether a statement chooses between a value and None for a name: ``a, b = (x, y) if first else (None, None)``.

    The runs in sight may have seen the value alone.
    """
    value = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(statement, ast.Assign) or not isinstance(value, ast.IfExp):
        return False
    return any(
        _is_none_for(target, part, name)
        for target in statement.targets
        for part in (value.body, value.orelse)
    )


def ends(outline: Outline, statement: ast.stmt, name: str) -> list[ast.stmt]:
    """What goes no further once a name that a statement unpacks is None, or another that it unpacks with it.

    In ``while x is not None`` behind ``x, y = batches.next()`` there is a ``y``, and before it there may be none.
    """
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    names = [part.id for part in getattr(target, "elts", ()) if isinstance(part, ast.Name)]
    around = outline.function_of(statement) or outline.source.tree
    tests = [part for part in in_rows(around) if isinstance(part, (ast.If, ast.While))]
    return [test for test in tests if name in names and any(_ends_for_none(test, each) for each in names)]


def _ends_for_none(test: ast.If | ast.While, name: str) -> bool:
    """Whether a loop ends, or a branch leaves, where a name is None."""
    outcome = when_none(test.test, name)
    if isinstance(test, ast.While):
        return outcome is Outcome.FALSE
    block = test.body if outcome is Outcome.TRUE else test.orelse if outcome is Outcome.FALSE else []
    return bool(block) and isinstance(block[-1], _LEAVES)


def _is_none_for(target: ast.expr, value: ast.expr, name: str) -> bool:
    """Whether None is what a name, or an attribute, gets of a value."""
    if isinstance(target, (ast.Name, ast.Attribute)):
        return ast.unparse(target) == name and isinstance(value, ast.Constant) and value.value is None
    both = (ast.Tuple, ast.List)
    if not isinstance(target, both) or not isinstance(value, both) or len(target.elts) != len(value.elts):
        return False
    pairs = zip(target.elts, value.elts, strict=True)
    return any(_is_none_for(part, own, name) for part, own in pairs)


def _holds_at(outline: Outline, empty: Binding, bindings: list[Binding], node: ast.Name) -> bool:
    """Whether None may be what the name still stands for: each run passes the statement, and no other of its kind since."""
    first = statement_of(outline, empty)
    if empty.statement is not None and (first is None or not outline.dominates(first, node)):
        return False
    if first is not None and _is_bound_by_rounds(outline, first, node):
        return False
    others = (statement_of(outline, each) for each in bindings)
    return not any(
        other is not None
        and other is not first
        and (first is None or other.lineno > first.lineno)
        and other is not outline.statement_of(node)
        and outline.dominates(other, node)
        for other in others
    )


def _is_bound_by_rounds(outline: Outline, empty: ast.stmt, node: ast.Name) -> bool:
    """Whether a loop between the two gives the name a value in each of its rounds: what adds up is there after the first."""
    loops = (each for each in _before(outline, node) if isinstance(each, (ast.For, ast.AsyncFor)))
    return any(
        loop.lineno > empty.lineno and any(binds_always(part, node.id) for part in loop.body)
        for loop in loops
    )


def _is_asked_around(outline: Outline, node: ast.Name) -> bool:
    """Whether no None gets by the tests around a place."""
    inner: ast.AST = node
    for around in outline.around(node):
        if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            break
        if any(when_none(test, node.id) in ends for test, ends in _tests(around, inner)):
            return True
        inner = around
    return False


def _tests(around: ast.AST, inner: ast.AST) -> list[tuple[ast.expr, frozenset[Outcome]]]:
    """The tests of a node that are passed on the way to a part of it, each with what it comes to for who does not get there."""
    if isinstance(around, ast.BoolOp):
        before = around.values[: around.values.index(inner)] if isinstance(inner, ast.expr) else []
        return [(test, _UNLESS_TRUE if isinstance(around.op, ast.And) else _UNLESS_FALSE) for test in before]
    if not isinstance(around, (ast.If, ast.IfExp, ast.While)) or inner is around.test:
        return []
    body = around.body if isinstance(around.body, list) else [around.body]
    return [(around.test, _UNLESS_TRUE if inner in body else _UNLESS_FALSE)]


def _is_asked_before(outline: Outline, node: ast.Name) -> bool:
    """Whether statements before a place do for None what has to be done, or would have failed for it."""
    return any(_settles(statement, node.id) for statement in _before(outline, node))


def _before(outline: Outline, node: ast.Name) -> Iterator[ast.stmt]:
    """The statements that stand before the one of a node in its block and in those around it."""
    current = outline.statement_of(node)
    while True:
        block = outline.block_of(current)
        yield from block[: block.index(current)]
        above = next((each for each in outline.around(current) if isinstance(each, ast.stmt)), None)
        if above is None or isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return
        current = above


def _settles(statement: ast.stmt, name: str) -> bool:
    if isinstance(statement, ast.If):
        outcome = when_none(statement.test, name)
        ends = (_ends(statement.body, name), _ends(statement.orelse, name))
        return outcome is Outcome.FAILS or (
            (outcome in _UNLESS_FALSE and ends[0]) or (outcome in _UNLESS_TRUE and ends[1])
        )
    if isinstance(statement, ast.Assert):
        return when_none(statement.test, name) in _UNLESS_TRUE
    simple = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)
    return isinstance(statement, simple) and fails_for_none(statement, name)


def _ends(block: list[ast.stmt], name: str) -> bool:
    """Whether whoever takes a branch gets no further, or with another value."""
    return bool(block) and (
        isinstance(block[-1], _LEAVES)
        or any(is_use(part, name, ast.Store) for each in block for part in in_rows(each))
    )
