"""Device literals: where a program spells out a text that PyTorch refuses as a device, and what it is to say."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import walk
from devfix.findings import Applicability, FileEdit, Fix, Mismatch, ReplaceExpression, Span

#: What is raised, and what it is a kind of.
_RAISED = frozenset({"RuntimeError", "Exception", "BaseException"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)

Place = tuple[str, Span]


def literal_places(facts: Facts, mismatch: Mismatch) -> list[Place]:
    """The places that spell the text out: the argument itself, or else all in the program; none where an error is expected.

    What a program puts together of parts it may put together in runs alone that choose something else.
    """
    (operand,) = mismatch.operands
    outline = facts.outline(operand.path)
    node = outline.expression_at(operand.span)
    text = mismatch.get("text") or ""
    if node is not None and _is_tried(outline, node):
        return []
    if isinstance(node, ast.Constant):
        return [(operand.path, operand.span)]
    if isinstance(node, ast.Name) and (bound := _bound(facts, outline, node, text)):
        return bound
    return [
        (path, source.span(each))
        for path, source in sorted(facts.program.sources.items())
        if text in source.text
        for each in _spelt(source.tree, text)
    ]


def literal_fix(facts: Facts, mismatch: Mismatch, places: list[Place]) -> Fix | None:
    """The text that was meant, where that is clear and it is spelt out once."""
    meant = mismatch.get("meant")
    if not meant or len(places) != 1:
        return None
    ((path, span),) = places
    quote = facts.source(path).segment(span)[-1]
    edit = FileEdit(path, ReplaceExpression(span, f"{quote}{meant}{quote}"))
    return Fix(f"say `{meant}`", (edit,), Applicability.SAFE)


def _bound(facts: Facts, outline: Outline, name: ast.Name, text: str) -> list[Place]:
    """Where the text stands in what is assigned to the name of the argument, in the scope that binds it."""
    path = outline.source.path
    scopes = (facts.bindings(path, scope).get(name.id) for scope in outline.scopes(name))
    known = next((found for found in scopes if found), [])
    statements = {outline.statement_at(each.statement) for each in known if each.statement is not None}
    values = [
        each.value for each in statements if isinstance(each, (ast.Assign, ast.AnnAssign)) and each.value
    ]
    return [(path, outline.source.span(each)) for value in values for each in _spelt(value, text)]


def _spelt(tree: ast.AST, text: str) -> Iterator[ast.Constant]:
    """The literals in a piece of code that are this text, not those that are parts of a text."""
    inner = {id(part) for node in walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in walk(tree):
        if isinstance(node, ast.Constant) and node.value == text and id(node) not in inner:
            yield node


def _is_tried(outline: Outline, node: ast.expr) -> bool:
    """Whether the function that asks for the device handles the error that it may get."""
    below: ast.AST = node
    for above in outline.around(node):
        if isinstance(above, _FUNCTIONS):
            return False
        handlers = above.handlers if isinstance(above, ast.Try) and below in above.body else []
        if any(_handles(handler) for handler in handlers):
            return True
        below = above
    return False


def _handles(handler: ast.ExceptHandler) -> bool:
    caught = handler.type
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(kind is None or (isinstance(kind, ast.Name) and kind.id in _RAISED) for kind in kinds)
