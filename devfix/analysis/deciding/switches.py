"""Switches: arguments that are off unless a caller says otherwise, and on bring things to the accelerator."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import Const, Function
from devfix.analysis.text.syntax import has_accelerator, names_accelerator, remembered, walk

if TYPE_CHECKING:
    from devfix.source import Source


def of(function: Function, source: Source) -> Iterator[str]:
    """The parameters ``gpu=False`` by which the function, or a method of what it constructs, brings things there."""
    off = {
        name for name, default in function.defaults if isinstance(default, Const) and default.value is False
    }
    if not off:
        return
    own = _tested(function.node, source)
    whole = function.owner.node if function.owner is not None else None
    later = set[str]() if whole is None else _tested(whole, source)
    stored = _stored(function.node) if later else {}
    for name in off:
        if name in own or any(name in names and attribute in later for attribute, names in stored.items()):
            yield name


def _tested(node: ast.stmt | ast.expr, source: Source) -> set[str]:
    """The names, of variables and ``self.name``, whose tests have a branch that names an accelerator, and one that does not."""
    found: set[str] = set()
    if not has_accelerator(node, source):
        return found
    for part in walk(node):
        branches: tuple[Sequence[ast.stmt | ast.expr], Sequence[ast.stmt | ast.expr]]
        if isinstance(part, ast.If):
            branches = part.body, part.orelse
        elif isinstance(part, ast.IfExp):
            branches = (part.body,), (part.orelse,)
        else:
            continue
        on, off = (any(names_accelerator(each, source) for each in branch) for branch in branches)
        if on and not off:
            found.update(_flags(part.test))
    return found


def _flags(test: ast.expr) -> Iterator[str]:
    """What has to be true for the whole test to be."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for part in test.values:
            yield from _flags(part)
    elif isinstance(test, ast.Name):
        yield test.id
    elif isinstance(test, ast.Attribute) and isinstance(test.value, ast.Name) and test.value.id == "self":
        yield f"self.{test.attr}"


@remembered
def _stored(constructor: ast.AST) -> dict[str, frozenset[str]]:
    """The attributes of ``self`` that a function assigns, by the names their values are made of."""
    return {
        f"self.{target.attr}": frozenset(part.id for part in walk(node.value) if isinstance(part, ast.Name))
        for node in walk(constructor)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute)
        and isinstance(target.value, ast.Name)
        and target.value.id == "self"
    }
