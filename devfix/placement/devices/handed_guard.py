"""Handed guards: what a function that moves asks before it does, where another gives it that under the name it has itself.

``net = Net(args)`` beside ``step(net, batch, args)``, which does ``if args.cuda: batch = batch.cuda()``.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import positional_of
from devfix.analysis.text.syntax import called, in_rows
from devfix.placement.devices.boundness import is_bound
from devfix.placement.devices.move_guards import is_flag

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def reads_the_same(facts: Facts, asking: Outline, test: ast.expr, outline: Outline, place: ast.stmt) -> bool:
    """Whether a test of a function is what its names mean at ``place``, in the function that calls it with them."""
    asked = asking.function_of(test)
    names = {node.id for node in in_rows(test) if isinstance(node, ast.Name)}
    if asked is None or not names or not is_flag(test) or len(list(_named(facts, asked.name))) > 1:
        return False
    own = outline.function_of(place)
    kept = not _sets(asked, test) and stays(outline, own, test, place)
    calls = (
        call
        for call in in_rows(own or outline.source.tree)
        if isinstance(call, ast.Call) and called(call) == asked.name
    )
    return kept and any(all(_gives(asking, asked, call, name) for name in names) for call in calls)


def stays(outline: Outline, function: Function | None, test: ast.expr, place: ast.stmt) -> bool:
    """Whether what a test asks is bound at ``place``, and set nowhere else in that function, or script."""
    names = {node.id for node in in_rows(test) if isinstance(node, ast.Name)}
    own = function or outline.source.tree
    is_set = _sets(own, test, but=_first(outline, own, names, place))
    return not is_set and all(is_bound(outline, place, name) for name in names)


def _named(facts: Facts, name: str) -> Iterator[Function]:
    """The functions and methods of a program that have a name."""
    for path in facts.program.sources:
        for node in in_rows(facts.source(path).tree):
            if isinstance(node, _FUNCTIONS) and node.name == name:
                yield node


def _gives(asking: Outline, asked: Function, call: ast.Call, name: str) -> bool:
    """Whether a call gives a function for its parameter ``name`` what has that name where it is called."""
    bound = asking.receiver_name(asked) is not None and isinstance(call.func, ast.Attribute)
    found = given(asked, call, name, bound=bound)
    return isinstance(found, ast.Name) and found.id == name


def given(function: Function, call: ast.Call, name: str, *, bound: bool) -> ast.expr | None:
    """What a call gives a function, or a method that is ``bound`` to its object, for a parameter."""
    keyword = next((each.value for each in call.keywords if each.arg == name), None)
    names = [part.arg for part in positional_of(function)][bound:]
    if keyword is not None or name not in names or any(isinstance(each, ast.Starred) for each in call.args):
        return keyword
    position = names.index(name)
    return call.args[position] if position < len(call.args) else None


def _first(outline: Outline, scope: ast.AST, names: set[str], place: ast.stmt) -> set[ast.AST]:
    """The statements that give the names their values once and for all, before ``place``."""
    if not isinstance(scope, (*_FUNCTIONS, ast.Module)):
        return set()
    binders = [outline.names_in(scope).binders(name) for name in names]
    return {found[0] for found in binders if len(found) == 1 and outline.dominates(found[0], place)}


def _sets(scope: ast.AST, test: ast.expr, but: Collection[ast.AST] = ()) -> bool:
    """Whether code gives what a test asks another value, but for some statements."""
    asked = {ast.unparse(node) for node in in_rows(test) if isinstance(node, (ast.Name, ast.Attribute))}
    spared = {id(part) for statement in but for part in in_rows(statement)}
    return any(
        isinstance(node, (ast.Name, ast.Attribute))
        and not isinstance(node.ctx, ast.Load)
        and id(node) not in spared
        and ast.unparse(node) in asked
        for node in in_rows(scope)
    )
