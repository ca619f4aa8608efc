"""Switches: arguments that are off unless a caller says otherwise, and on bring things to the accelerator."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from devfix.analysis.deciding import handed_on
from devfix.analysis.domain.values import NONE, UNKNOWN, Const, Function, Scalar, Value
from devfix.analysis.text.comparing import COMPARISONS
from devfix.analysis.text.syntax import has_accelerator, holds_accelerator, remembered, spelt, walk

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.source import Source


#: Through so many functions a switch is followed that they hand on to one another.
_FAR = 3

#: What nobody can tell of an expression.
_UNSURE = object()


def of(interp: Interpreter, function: Function) -> Iterator[tuple[str, Value]]:
    """The parameters ``gpu=False``, ``gpu=-1``, ``gpu=None`` by which the function, or a method of what it constructs, brings things there.

    They may hand them on to what does. What a caller says instead of the default is of its type.
    """
    for name, default in function.defaults:
        if (
            isinstance(default, Const)
            and _may_be_off(default)
            and _is_switch(interp, function, {name: default.value}, _FAR)
        ):
            yield name, UNKNOWN if default == NONE else Scalar(type(default.value).__name__)


def _may_be_off(default: Const) -> bool:
    return default == NONE or default.value is False or type(default.value) is int


def _is_switch(interp: Interpreter, function: Function, known: Mapping[str, object], far: int) -> bool:
    """Whether a parameter that is known (the only one) keeps things from where the function would bring them."""
    source = interp.program.sources[function.path]
    if any(_stays(each, known) for each in _forks(function.node, source)):
        return True
    later = [] if function.owner is None else _forks(function.owner.node, source)
    if later:
        kept = {attribute: _told(value, known) for attribute, value in _stored(function.node).items()}
        if any(_stays(each, kept) for each in later):
            return True
    [(name, default)] = known.items()
    return far > 0 and any(
        _is_switch(interp, callee, {given: default}, far - 1)
        for callee, given in handed_on.by(interp, function, name)
    )


#: A test, and what it has to be for the branch that names an accelerator.
_Fork = tuple[ast.expr, bool]


def _forks(node: ast.stmt | ast.expr, source: Source) -> list[_Fork]:
    """The tests that have a branch that names an accelerator, and one that does not."""
    return _forks_in(node) if has_accelerator(node, source) else []


@remembered
def _forks_in(node: ast.AST) -> list[_Fork]:
    found: list[_Fork] = []
    for part in walk(node):
        branches: tuple[Sequence[ast.stmt | ast.expr], Sequence[ast.stmt | ast.expr]]
        if isinstance(part, ast.If):
            branches = part.body, part.orelse
        elif isinstance(part, ast.IfExp):
            branches = (part.body,), (part.orelse,)
        else:
            continue
        on, off = (any(map(holds_accelerator, branch)) for branch in branches)
        if on != off:
            found.append((part.test, on))
    return found


def _stays(fork: _Fork, known: Mapping[str, object]) -> bool:
    """Whether the branch that names no accelerator is taken, as far as that is known."""
    test, brings = fork
    told = _told(test, known)
    return told is not _UNSURE and bool(told) != brings


def _told(node: ast.expr, known: Mapping[str, object]) -> object:
    """The value of an expression of names, of variables and ``self.name``, some of which are known."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, (ast.Name, ast.Attribute)):
        return known.get(spelt(node), _UNSURE)
    if isinstance(node, ast.BoolOp):
        ends = isinstance(node.op, ast.Or)
        parts = [_told(part, known) for part in node.values]
        if any(part is not _UNSURE and bool(part) == ends for part in parts):
            return ends
        return _UNSURE if _UNSURE in parts else not ends
    if isinstance(node, ast.UnaryOp):
        value = _told(node.operand, known)
        if isinstance(node.op, ast.Not) and value is not _UNSURE:
            return not value
        return -value if isinstance(node.op, ast.USub) and isinstance(value, int) else _UNSURE
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        sides = _told(node.left, known), _told(node.comparators[0], known)
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)) and None in sides and _UNSURE not in sides:
            return (sides[0] is sides[1]) == isinstance(node.ops[0], ast.Is)
        compare = COMPARISONS.get(type(node.ops[0]))
        if compare is not None and all(isinstance(side, int) for side in sides):
            return compare(*sides)
    return _UNSURE


@remembered
def _stored(constructor: ast.AST) -> dict[str, ast.expr]:
    """The attributes of ``self`` that a function assigns, and what it assigns to them."""
    return {
        f"self.{target.attr}": node.value
        for node in walk(constructor)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute)
        and isinstance(target.value, ast.Name)
        and target.value.id == "self"
    }
