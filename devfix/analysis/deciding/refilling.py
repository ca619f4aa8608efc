"""Refilling: tests after which a program makes anew, or adds to, what they ask for, as caches and pools are filled."""

from __future__ import annotations

import ast

from devfix.analysis.text.syntax import called, remembered, spelt, statements_in, walk


@remembered
def renewed(node: ast.If) -> tuple[tuple[ast.expr, ast.expr], ...]:
    """What a statement makes anew that its test asks for, and of what: a cache that is filled when it does not fit."""
    made = [
        (target, part.value)
        for statement in node.body
        for part in statements_in(statement)
        if isinstance(part, ast.Assign)
        for target in part.targets
        if isinstance(target, (ast.Name, ast.Attribute))  # tests are asked for no others
    ]
    asked = _named_in(node.test) if made else ()
    return tuple((target, value) for target, value in made if spelt(target) in asked)


def refills(target: ast.expr, value: ast.expr) -> bool:
    """Whether what a cache is given has nothing of what it held before."""
    return spelt(target) not in _named_in(value)


def _named_in(node: ast.expr) -> set[str]:
    return {spelt(part) for part in walk(node) if isinstance(part, (ast.Name, ast.Attribute))}


@remembered
def grows(node: ast.If) -> bool:
    """Whether a statement adds to what its test asks the length of: a pool that fills up."""
    asked = {
        ast.unparse(part.args[0])
        for part in walk(node.test)
        if isinstance(part, ast.Call) and len(part.args) == 1 and called(part) == "len"
    }
    if not asked:
        return False
    grown = (part.func for part in walk(node) if isinstance(part, ast.Call) and called(part) in ADDING)
    return any(isinstance(added, ast.Attribute) and ast.unparse(added.value) in asked for added in grown)


#: Methods that add to a collection.
ADDING = frozenset({"append", "appendleft", "extend", "insert", "add"})
