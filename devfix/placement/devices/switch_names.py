"""Switches by name: ``self.gpu``, which a program asks whether to use the accelerator, and that is no device itself.

A file of settings may say either under such a name.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from devfix.analysis.text.syntax import in_rows

if TYPE_CHECKING:
    from devfix.analysis.record.facts import Facts
    from devfix.analysis.text.outline import Outline


def is_switch(facts: Facts, name: str) -> bool:
    """Whether the program tests the truth of what is so called, and a branch goes on without using it for anything."""
    word = name.rpartition(".")[2]
    if "device" in word.lower():
        return False
    asked = re.compile(rf"\b(if|and|not)\b[^\n]*\b{re.escape(word)}\b")
    trees = (source.tree for source in facts.program.sources.values() if asked.search(source.text))
    return any(_is_asked(node, word) for tree in trees for node in in_rows(tree))


def is_default(outline: Outline, name: str) -> bool:
    """Whether a file asks for a variable for nothing but the default of an option: what the option says counts."""
    named = outline.occurrences(outline.source.tree, name)
    around = [outline.parents[node] for node in named if isinstance(node.ctx, ast.Load)]
    return bool(around) and all(isinstance(each, ast.keyword) and each.arg == "default" for each in around)


def _is_asked(node: ast.AST, word: str) -> bool:
    if isinstance(node, ast.If):
        branch: list[ast.AST] = list(node.orelse if _is_negated(node.test) else node.body)
    elif isinstance(node, ast.IfExp):
        branch = [node.orelse if _is_negated(node.test) else node.body]
    else:
        return False
    return word in _truths(node.test) and not any(
        _name(part) == word for each in branch for part in in_rows(each)
    )


def _truths(test: ast.expr) -> set[str]:
    """The names of what a test asks for nothing but its truth."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _truths(test.operand)
    if isinstance(test, ast.BoolOp):
        return {name for part in test.values for name in _truths(part)}
    return {_name(test)}


def _is_negated(test: ast.expr) -> bool:
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return getattr(node, "attr", "") or getattr(node, "id", "")
