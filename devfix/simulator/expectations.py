"""Expectations: blocks of the program that are there to see an error raised, such as ``with pytest.raises(...)``.

In them a mistake is what the program is after, so it is raised even where mistakes are healed.
"""

from __future__ import annotations

import ast
import functools
import linecache
import sys
from types import FrameType
from typing import Optional

from .places import is_user_file

#: Context managers of pytest, unittest and contextlib that take an error for what was to happen.
_EXPECTING = frozenset("raises assertRaises assertRaisesRegex suppress".split())


def is_expected() -> bool:
    """Whether a line that is being executed lies in such a block."""
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if is_user_file(name) and any(frame.f_lineno in block for block in _blocks(name)):
            return True
        frame = frame.f_back
    return False


@functools.lru_cache(maxsize=256)
def _blocks(name: str) -> tuple[range, ...]:
    """The lines of the blocks of a file that expect errors."""
    try:
        tree = ast.parse("".join(linecache.getlines(name)))
    except (SyntaxError, ValueError, RecursionError):
        return ()
    withs = [node for node in ast.walk(tree) if isinstance(node, (ast.With, ast.AsyncWith))]
    return tuple(
        range(node.lineno, (node.end_lineno or node.lineno) + 1)
        for node in withs
        if any(_expects(item.context_expr) for item in node.items)
    )


def _expects(expression: ast.expr) -> bool:
    function = expression.func if isinstance(expression, ast.Call) else expression
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in _EXPECTING
