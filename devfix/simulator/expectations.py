"""Expectations: blocks of the program that are there to see an error raised, such as ``with pytest.raises(...)``.

In them a mistake is what the program is after, or has an answer to (a ``try`` whose handler does it in another way),
so it is raised even where mistakes are healed.
"""

from __future__ import annotations

import ast
import functools
import linecache
import sys
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import NamedTuple, Optional

from .places import is_user_file

#: Context managers of pytest, unittest and contextlib that take an error for what was to happen.
_EXPECTING = frozenset("raises assertRaises assertRaisesRegex suppress".split())
#: What a handler that takes every error catches.
_EVERY = frozenset({"Exception", "BaseException"})
#: Functions after which a program does not go on.
_LEAVING = frozenset("exit _exit quit abort".split())
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class _Handler(NamedTuple):
    """What an ``except`` catches, whether it hands that on, and whether it does otherwise what failed."""

    names: frozenset[str]
    leaves: bool
    replaces: bool


class _Block(NamedTuple):
    """Lines in which errors are seen to; without handlers, whatever they are."""

    lines: range
    handlers: Optional[tuple[_Handler, ...]] = None


def is_expected(error: type[BaseException], *, answered: bool = True) -> bool:
    """Whether a line that is being executed lies in a block that is there for such an error.

    With ``answered`` that may be a ``try``, too, which has an answer to it.
    """
    frame: Optional[FrameType] = sys._getframe(1)
    names = frozenset(cls.__name__ for cls in error.__mro__)
    while frame is not None:
        name = frame.f_code.co_filename
        if is_user_file(name):
            for block in _blocks(name):
                counts = frame.f_lineno in block.lines and (answered or block.handlers is None)
                answer = _answer(block, names) if counts else None
                if answer is not None:
                    return answer
        frame = frame.f_back
    return False


def _answer(block: _Block, names: frozenset[str]) -> Optional[bool]:
    """Whether a block has an answer to an error; None where the error goes on from it.

    Who catches every error has one only where it does otherwise what failed: most want to say what went wrong.
    """
    if block.handlers is None:
        return True
    handler = next((handler for handler in block.handlers if handler.names & names), None)
    if handler is None or handler.leaves:
        return None
    return handler.replaces or not handler.names & _EVERY


@functools.lru_cache(maxsize=256)
def _blocks(name: str) -> tuple[_Block, ...]:
    """The blocks of a file that see to errors, the inner before the outer."""
    try:
        tree = ast.parse("".join(linecache.getlines(name)))
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(sorted(_found(tree), key=lambda block: len(block.lines)))


def _found(tree: ast.Module) -> Iterator[_Block]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.With, ast.AsyncWith)):
            if any(_expects(item.context_expr) for item in node.items):
                yield _Block(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        elif isinstance(node, ast.Try):
            last = node.body[-1]
            lines = range(node.body[0].lineno, (last.end_lineno or last.lineno) + 1)
            yield _Block(lines, tuple(_handler(each, node.body) for each in node.handlers))


def _expects(expression: ast.expr) -> bool:
    function = expression.func if isinstance(expression, ast.Call) else expression
    return _name(function) in _EXPECTING


def _handler(handler: ast.ExceptHandler, body: Sequence[ast.stmt]) -> _Handler:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = frozenset("BaseException" if kind is None else _name(kind) for kind in kinds)
    within = [node for statement in handler.body for node in _own_nodes(statement)]
    leaves = any(
        isinstance(node, ast.Raise) or (isinstance(node, ast.Call) and _name(node.func) in _LEAVING)
        for node in within
    )
    tried = {result for statement in body for node in _own_nodes(statement) for result in _results(node)}
    return _Handler(names, leaves, any(result in tried for node in within for result in _results(node)))


def _results(node: ast.AST) -> Iterator[str]:
    """What a statement sets to a value that is no constant, spelt out; "return" for what it gives back."""
    value: Optional[ast.AST] = getattr(node, "value", None)
    if value is None or isinstance(value, ast.Constant):
        return
    if isinstance(node, ast.Return):
        yield "return"
    targets: Sequence[ast.AST] = ()
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        targets = [node.target]
    yield from (ast.dump(target) for target in targets)


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is inside of it; functions defined there are left out."""
    yield node
    if not isinstance(node, _FUNCTIONS):
        for child in ast.iter_child_nodes(node):
            yield from _own_nodes(child)


def _name(node: Optional[ast.AST]) -> str:
    return str(node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", ""))
