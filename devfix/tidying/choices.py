"""Choices of which each branch moves to one device move as a whole: ``(A() if deep else B()).to(device)``."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator

from devfix.analysis.text.syntax import in_rows
from devfix.tidying.arguments import suffix_of
from devfix.tidying.written import Offsets, Written

#: What a parenthesis stands behind: a word, or the end of something that may be called.
_BEFORE = re.compile(r"\w+\Z|[)\]}\"']\Z")


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
        closing = _own_parenthesis(text, begin, end)
        if closing is not None:
            text = f"{text[:closing]}{suffix}{text[closing:]}"
        else:
            text = f"{text[:begin]}({text[begin:end]}){suffix}{text[end:]}"
    return text


def _own_parenthesis(text: str, begin: int, end: int) -> int | None:
    """Where the parentheses end that are there for a piece of a text alone; None where they are those of a call."""
    before, behind = text[:begin].rstrip(), text[end:].lstrip()
    if not before.endswith("(") or not behind.startswith(")"):
        return None
    called = _BEFORE.search(before[:-1].rstrip())
    return len(text) - len(behind) + 1 if called is None or keyword.iskeyword(called[0]) else None


def _choices(written: Written) -> Iterator[tuple[int, int, list[Offsets]]]:
    """Where conditional expressions stand whose branches are new moves to the same device, and the moves."""
    for node in in_rows(written.after.tree):
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
