"""Listed twice: parameters that a program collects from a list of modules by hand, beside those of the module that holds it.

Once the list registers them they are among the module's own, and an optimizer that is given both steps them twice.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows

_LISTING = frozenset({"parameters", "named_parameters"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Loop = ast.For | ast.AsyncFor | ast.comprehension


def would_be(facts: Facts, name: str) -> bool:
    """Whether some function, or script, collects the parameters of an object and of what its attribute ``name`` holds."""
    for source in facts.program.sources.values():
        if f".{name}" not in source.text or "parameters(" not in source.text:
            continue
        names = {name, *_handed_on(source.tree, name)}
        if any(_lists_both(scope, names) for scope in _scopes(source.tree)):
            return True
    return False


def _handed_on(tree: ast.Module, name: str) -> Iterator[str]:
    """The methods that return what the attribute holds, or something of it."""
    for node in in_rows(tree):
        if isinstance(node, _FUNCTIONS):
            given = (
                each.value
                for each in in_rows(node)
                if isinstance(each, (ast.Return, ast.Yield, ast.YieldFrom))
            )
            parts = (part for value in given if value is not None for part in in_rows(value))
            if any(isinstance(part, ast.Attribute) and part.attr == name for part in parts):
                yield node.name


def _scopes(tree: ast.Module) -> Iterator[list[ast.AST]]:
    """What stands in each function, and what in none."""
    functions = [node for node in in_rows(tree) if isinstance(node, _FUNCTIONS)]
    yield from (list(in_rows(function)) for function in functions)
    inner = {node for function in functions for node in in_rows(function)}
    yield [node for node in in_rows(tree) if node not in inner]


def _lists_both(nodes: list[ast.AST], names: set[str]) -> bool:
    listed = set(filter(None, map(_listed, nodes)))
    if not listed:
        return False
    loops = [node for node in nodes if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension))]
    for loop in loops:
        holders = {
            ast.unparse(part.value)
            for part in in_rows(loop.iter)
            if isinstance(part, ast.Attribute) and part.attr in names
        }
        if holders & listed and _reached(loop, loops) & listed:
            return True
    return False


def _reached(loop: _Loop, loops: list[_Loop]) -> set[str]:
    """The names of what a loop goes through, and of what others go through in that: the modules in each row."""
    found: set[str] = set()
    pending = [loop]
    while pending:
        found |= _names(pending.pop().target)
        pending += [each for each in loops if found & _names(each.iter) and not _names(each.target) <= found]
    return found


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in in_rows(node) if isinstance(part, ast.Name)}


def _listed(node: ast.AST) -> str:
    """What a call lists the parameters of; "" for any other node."""
    func = node.func if isinstance(node, ast.Call) else None
    return ast.unparse(func.value) if isinstance(func, ast.Attribute) and func.attr in _LISTING else ""
