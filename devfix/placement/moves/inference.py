"""Inference mode: what moves there is a tensor that autograd cannot use outside, so what lives on moves elsewhere.

On the CPU a move does nothing, and what was made outside stays what it was.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Protocol, TypeVar

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.noting import noted
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, Fix, InsertAfter, InsertAtBodyStart, InsertBefore, WrapExpression
from devfix.placement.text.dependence import dotted

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_WITHS = (ast.With, ast.AsyncWith)
_DISPLAYS = (ast.Tuple, ast.List, ast.Dict)
_INSERTED = (InsertAfter, InsertAtBodyStart, InsertBefore)


class _Mover(Protocol):
    facts: Facts


_Moving = TypeVar("_Moving", bound=_Mover)


def outside(fixes: Callable[[_Moving], list[Fix]]) -> Callable[[_Moving], list[Fix]]:
    """The fixes that move nothing under ``torch.inference_mode`` which a program that trains goes on to use outside."""

    @wraps(fixes)
    def chosen(mover: _Moving) -> list[Fix]:
        found, facts = fixes(mover), mover.facts
        trains = any(_trains(source.tree) for source in facts.program.sources.values())
        return [fix for fix in found if not (trains and any(_lives_on(facts, each) for each in fix.edits))]

    return chosen


@noted
def _trains(tree: ast.AST) -> bool:
    called = (node.func for node in in_rows(tree) if isinstance(node, ast.Call))
    return any(isinstance(each, ast.Attribute) and each.attr in ("backward", "grad") for each in called)


def _lives_on(facts: Facts, edit: FileEdit) -> bool:
    """Whether an edit binds what it moves in inference mode, or moves a module there, and that is used elsewhere."""
    change, outline = edit.edit, facts.outline(edit.path)
    if isinstance(change, _INSERTED):
        found = outline.statement_at(change.span)
        inside = isinstance(change, InsertAtBodyStart)
        region = _region(outline, found, inside=inside) if found is not None else None
        moved = list(_bound_by(change.code)) if region is not None else []
    elif isinstance(change, WrapExpression) and change.suffix.startswith(".to("):
        node = outline.expression_at(change.span)
        region = _region(outline, node) if node is not None else None
        moved = list(_given(outline, node)) if node is not None and region is not None else []
    else:
        return False
    return region is not None and any(_is_used_outside(outline, region, each) for each in moved)


def _region(outline: Outline, node: ast.AST, *, inside: bool = False) -> ast.AST | None:
    """The ``with`` statement or function around a node that runs in inference mode, as far as its function goes."""
    for around in (*([node] if inside else ()), *outline.around(node)):
        if isinstance(around, _WITHS) and any(_begins(item.context_expr) for item in around.items):
            return around
        if isinstance(around, _FUNCTIONS):
            return around if any(map(_begins, around.decorator_list)) else None
    return None


def _begins(manager: ast.expr) -> bool:
    """Whether an expression is ``torch.inference_mode()``, or that without a call, as a decorator may be."""
    off = isinstance(manager, ast.Call) and any(
        isinstance(value, ast.Constant) and value.value is False
        for value in (*manager.args, *(keyword.value for keyword in manager.keywords))
    )
    called = manager.func if isinstance(manager, ast.Call) else manager
    return not off and (dotted(called) or "").rpartition(".")[2] == "inference_mode"


def _bound_by(code: str) -> Iterator[tuple[str, bool]]:
    """The names that inserted statements bind, and those of the modules that they move, which are marked."""
    for node in in_rows(ast.parse(code)):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
                yield from ((ast.unparse(part), False) for part in parts)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            called = node.value.func
            if isinstance(called, ast.Attribute) and called.attr in ("to", "cuda"):
                yield ast.unparse(called.value), True


def _given(outline: Outline, node: ast.expr) -> Iterator[tuple[str, bool]]:
    """The names that an expression is given as it is, or as a part of a tuple; "" where it is returned."""
    parent = outline.parents[node]
    statement = outline.statement_of(node)
    if parent is not statement and not (
        isinstance(parent, _DISPLAYS) and outline.parents[parent] is statement
    ):
        return
    if isinstance(statement, ast.Return):
        yield "", False
    elif isinstance(statement, ast.Assign):
        yield from _bound_by(ast.unparse(statement))


def _is_used_outside(outline: Outline, region: ast.AST, moved: tuple[str, bool]) -> bool:
    """Whether something outside gets what is moved in inference mode: an object that keeps it, the caller, what follows."""
    name, is_module = moved
    if not name.isidentifier() or any(_hands_out(each, name) for each in in_rows(region)):
        return True
    if isinstance(region, _FUNCTIONS):
        arguments = region.args
        given = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        return is_module and name in {each.arg for each in given}
    around, span = outline.function_of(region), outline.source.span(region)
    uses = outline.occurrences(around if around is not None else outline.source.tree, name)
    later = [each for each in uses if each.lineno > span.end_line]
    if is_module:
        return any(isinstance(each.ctx, ast.Load) for each in later)
    # What is bound anew behind the block is another tensor.
    first = min(later, key=lambda each: outline.source.span(outline.statement_of(each)).start, default=None)
    return first is not None and isinstance(first.ctx, ast.Load)


def _hands_out(node: ast.AST, name: str) -> bool:
    """Whether a statement returns what has a name, by itself or within a tuple."""
    if not isinstance(node, (ast.Return, ast.Yield)) or node.value is None:
        return False
    value = node.value
    parts = value.values if isinstance(value, ast.Dict) else getattr(value, "elts", [value])
    return any(isinstance(part, ast.Name) and part.id == name for part in parts)
