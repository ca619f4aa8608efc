"""Suppressing: ``with suppress(KeyError):``, which is a ``try`` whose handler does nothing."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import External
from devfix.analysis.text.syntax import called, names_what_is_missing

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_NAME = External("contextlib.suppress")


def as_try(interp: Interpreter, node: ast.With | ast.AsyncWith) -> ast.Try | None:
    """The ``try`` that a block is which takes the errors of a look-up; None for any other block.

    What it takes other errors for, or enters beside, is told by the managers.
    """
    asked = node.items[0].context_expr
    if (
        len(node.items) != 1
        or not isinstance(asked, ast.Call)
        or called(asked) != _NAME.name.rpartition(".")[2]
    ):
        return None
    kinds = ast.Tuple(asked.args, ast.Load())
    handler = ast.ExceptHandler(kinds, None, [ast.copy_location(ast.Pass(), asked)])
    if not asked.args or not names_what_is_missing(handler) or interp.eval(asked.func) != _NAME:
        return None
    return ast.copy_location(ast.Try(node.body, [ast.copy_location(handler, asked)], [], []), node)
