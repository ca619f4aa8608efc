"""Choices of which each branch moves to one device move as a whole: ``(A() if deep else B()).to(device)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.tidying.arguments import suffix_of
from devfix.tidying.written import Offsets, Written

#: Behind these, a parenthesis is that of a call.
_CALLED = ("_", ")", "]")


def moved_once(written: Written) -> str:
    """The text with one move instead of those that fixes wrote in both branches of a conditional expression."""
    text = written.after.text
    changed = len(text)
    for begin, behind, suffixes in sorted(_choices(written), reverse=True):
        if behind > changed:
            continue  # one is within it
        suffix, changed = text[slice(*suffixes[0])], begin
        for first, last in sorted(suffixes, reverse=True):
            text = text[:first] + text[last:]
        end = behind - sum(last - first for first, last in suffixes)
        if _is_in_parentheses(text, begin, end):
            text = f"{text[: end + 1]}{suffix}{text[end + 1 :]}"
        else:
            text = f"{text[:begin]}({text[begin:end]}){suffix}{text[end:]}"
    return text


def _is_in_parentheses(text: str, begin: int, end: int) -> bool:
    """Whether the parentheses around a piece of a text are there for it alone."""
    before = text[: begin - 1][-1:]
    return (
        text[begin - 1] == "(" and text[end : end + 1] == ")" and not (before.isalnum() or before in _CALLED)
    )


def _choices(written: Written) -> Iterator[tuple[int, int, list[Offsets]]]:
    """Where conditional expressions stand whose branches are new moves to the same device, and the moves."""
    for node in ast.walk(written.after.tree):
        if not isinstance(node, ast.IfExp):
            continue
        moves = [branch for branch in (node.body, node.orelse) if _is_move(branch)]
        suffixes = [suffix_of(written, move) for move in moves if isinstance(move, ast.Call)]
        alike = len({written.after.text[slice(*suffix)] for suffix in suffixes}) == 1
        if len(moves) == 2 and alike and all(written.holds([suffix]) for suffix in suffixes):
            yield (*written.offsets(written.after.span(node)), suffixes)


def _is_move(branch: ast.expr) -> bool:
    moves = (
        isinstance(branch, ast.Call) and isinstance(branch.func, ast.Attribute) and branch.func.attr == "to"
    )
    return moves and isinstance(branch, ast.Call) and len(branch.args) == 1 and not branch.keywords
