"""Fetches: code that hands tensors to NumPy, from wherever they are or from the CPU alone.

``x.cpu().numpy() if cuda else x.numpy()``: the branch that fetches is that of a run with an accelerator.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from devfix.analysis.text.nodes_below import below
from devfix.analysis.text.syntax import remembered, speaks, walk

if TYPE_CHECKING:
    from devfix.source import Source

#: What holds statements.
_HOLDERS = (ast.stmt, ast.excepthandler, ast.match_case)


#: A branch of statements, or of the expression that it is.
Branch = Sequence[ast.stmt] | Sequence[ast.expr]


def chosen(source: Source, body: Branch, orelse: Branch) -> bool | None:
    """Which of two branches fetches what it hands to NumPy, where the other one hands it over as it is."""
    if not (_may_hand_over(source, body) and _may_hand_over(source, orelse)):
        return None
    then, other = _copied(body), _copied(orelse)
    if {then, other} != {True, False}:
        return None
    return then if _handed_by(body) & _handed_by(orelse) else None


def _may_hand_over(source: Source, branch: Branch) -> bool:
    """Whether there is such a word at all in the lines of a branch."""
    return bool(branch) and speaks(source, "numpy", branch[0], branch[-1])


def chosen_leaving(source: Source, function: ast.AST, body: list[ast.stmt]) -> bool | None:
    """Which of two ways out of a function fetches what it hands to NumPy: a branch that returns, or the ``return`` behind it."""
    if not isinstance(body[-1], ast.Return) or not _may_hand_over(source, body[-1:]) or not copies(body[-1]):
        return None
    following = _endings(function).get(body[0])
    return chosen(source, body, [following]) if following is not None else None


@remembered
def _endings(function: ast.AST) -> dict[ast.stmt, ast.Return]:
    """The ``return`` that follows an ``if`` and ends a block, by the first statement of the branch."""
    found = {}
    for node in walk(function):
        for block in (getattr(node, "body", None), getattr(node, "orelse", None)):
            if isinstance(block, list) and len(block) > 1:
                before, last = block[-2:]
                if isinstance(before, ast.If) and isinstance(last, ast.Return):
                    found[before.body[0]] = last
    return found


def _copied(branch: Branch) -> bool | None:
    """Whether a branch copies to the CPU what it hands to NumPy; None where it hands over nothing, or only some."""
    found = frozenset[bool]().union(*map(copies, branch))
    return next(iter(found)) if len(found) == 1 else None


def _handed_by(branch: Branch) -> frozenset[str]:
    """The names in what a branch hands to NumPy: branches that share none are about something of their own."""
    found = (each for part in branch for each in _handed(part))
    return frozenset(name.id for each in found for name in walk(each) if isinstance(name, ast.Name))


@remembered
def copies(node: ast.AST) -> frozenset[bool]:
    """Of each ``x.numpy()`` in a piece of code, whether ``x`` is copied to the CPU on the way.

    Statements in statements remember their own: blocks within blocks would each be read as often as they are deep.
    """
    if isinstance(node, _HOLDERS):
        return frozenset[bool]().union(*map(copies, below(node)))
    return frozenset(map(is_fetched, _handed(node)))


def _handed(node: ast.AST) -> list[ast.expr]:
    """Each ``x`` of an ``x.numpy()`` in a piece of code."""
    return [
        part.func.value
        for part in walk(node)
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr == "numpy"
    ]


def is_fetched(node: ast.expr) -> bool:
    """Whether ``.cpu()`` or ``.to("cpu")`` is in the chain of calls and attributes that makes a tensor."""
    while True:
        if isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Attribute) and _is_fetch(function.attr, node.args):
                return True
            node = function
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        else:
            return False


def _is_fetch(method: str, args: list[ast.expr]) -> bool:
    if method == "cpu":
        return True
    return method == "to" and any(isinstance(arg, ast.Constant) and arg.value == "cpu" for arg in args)
