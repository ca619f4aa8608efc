"""Held guards: what an object asks before it moves its own, where who makes it told it that.

``net = Net()`` below ``data = Data(cuda=args.cuda)``, whose methods do ``if self.cuda: x = x.cuda()``.
"""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.placement.devices import handed_guard
from devfix.placement.devices.boundness import parameters
from devfix.placement.devices.move_guards import is_flag, reads_the_same

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def as_told(
    facts: Facts, asking: Outline, test: ast.expr, outline: Outline, place: ast.stmt
) -> ast.expr | None:
    """What a test of an object's attribute is where the one object that asks it is made, in the function of ``place``.

    None where other objects may ask, where the attribute may be set anew, or where that means something else at ``place``.
    """
    method = asking.function_of(test)
    cls = asking.class_of(method) if method is not None else None
    if cls is None or not isinstance(test, ast.Attribute):
        return None
    call = _made_once(facts, cls.name, outline)
    init = next((each for each in cls.body if isinstance(each, _FUNCTIONS) and each.name == "__init__"), None)
    if ast.unparse(test.value) != asking.receiver_name(method) or init is None or call is None:
        return None
    name = _kept(asking, cls, init, test.attr)
    given = handed_guard.given(init, call, name, bound=True) if name is not None else None
    here = outline.function_of(place)
    if given is None or outline.function_of(call) is not here or _is_set_outside(facts, outline, call, test):
        return None
    settled = is_flag(given) and (
        reads_the_same(outline, given, place) or handed_guard.stays(outline, here, given, place)
    )
    return given if settled else None


def _made_once(facts: Facts, name: str, outline: Outline) -> ast.Call | None:
    """The call of a class in a file, where that is all that a program does with it."""
    files = [each for each, source in facts.program.sources.items() if name in source.text]
    mentions = [
        node
        for path in files
        for node in facts.outline(path).mentions(name)
        if not isinstance(node, ast.ClassDef)
    ]
    calls = list(outline.calls(name))
    return calls[0] if len(mentions) == len(calls) == 1 else None


def _kept(outline: Outline, cls: ast.ClassDef, init: Function, attribute: str) -> str | None:
    """The parameter that an attribute is, as long as an object lives."""
    stores = [
        node
        for node in in_rows(cls)
        if isinstance(node, ast.Attribute) and node.attr == attribute and not isinstance(node.ctx, ast.Load)
    ]
    statement = outline.parents[stores[0]] if len(stores) == 1 else None
    if not isinstance(statement, ast.Assign) or statement not in init.body:
        return None
    value = statement.value
    if not isinstance(value, ast.Name) or value.id not in parameters(init):
        return None
    occurrences = outline.occurrences(init, value.id)
    return value.id if all(isinstance(each.ctx, ast.Load) for each in occurrences) else None


def _is_set_outside(facts: Facts, outline: Outline, call: ast.Call, test: ast.Attribute) -> bool:
    """Whether others may set the attribute of the object, which gets no name, or one whose attribute is set somewhere."""
    statement = outline.parents[call]
    if not isinstance(statement, ast.Assign):
        return True
    names = {f"{ast.unparse(target)}.{test.attr}" for target in statement.targets}
    return any(
        isinstance(node, ast.Attribute)
        and not isinstance(node.ctx, ast.Load)
        and node.attr == test.attr
        and ast.unparse(node) in names
        for source in facts.program.sources.values()
        if f".{test.attr}" in source.text
        for node in in_rows(source.tree)
    )
