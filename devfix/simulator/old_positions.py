"""Old positions: the columns of an instruction, for interpreters whose code objects know lines alone (before Python 3.11).

A file is compiled once more, with the number of each node of its syntax tree in place of the node's line. The table
of lines of that code then tells the node of every instruction, provided that it is the same code otherwise.
"""

from __future__ import annotations

import ast
import dis
import functools
import linecache
from collections.abc import Iterator
from types import CodeType
from typing import Any, Optional

#: Line, last line, and the columns as Python 3.11 counts them: in bytes of UTF-8.
Position = tuple[int, int, int, int]


def position(code: CodeType, instruction: int) -> Optional[Position]:
    """Where the expression or statement stands that an instruction belongs to; None when that is not certain."""
    twin, nodes = _twin(code)
    number = _line(twin, instruction) if twin is not None else None
    if number is None or number >= len(nodes):
        return None
    if dis.opname[code.co_code[instruction]].startswith("CALL"):
        # Python 3.10 gives calls of methods the line of the method's name.
        number = next((n for n in _calls_of(nodes, number)), number)
    return nodes[number][1]


@functools.lru_cache(maxsize=1024)
def _twin(code: CodeType) -> tuple[Optional[CodeType], list[tuple[ast.AST, Position]]]:
    """The code object that says numbers of nodes where this one says lines."""
    compiled, nodes = _numbered(code.co_filename)
    for found in _codes(compiled):
        same = (
            found.co_name == code.co_name
            and found.co_code == code.co_code
            and found.co_names == code.co_names
        )
        first = found.co_firstlineno
        if same and (code.co_name == "<module>" or nodes[first][1][0] == code.co_firstlineno):
            return found, nodes
    return None, nodes


@functools.lru_cache(maxsize=256)
def _numbered(file: str) -> tuple[Optional[CodeType], list[tuple[ast.AST, Position]]]:
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
        # There is no line zero.
        nodes: list[tuple[ast.AST, Position]] = [(tree, (1, 1, 0, 0))]
        for node in ast.walk(tree):
            if isinstance(node, (ast.expr, ast.stmt)):
                nodes.append((node, _position(node)))
                node.lineno = node.end_lineno = len(nodes) - 1
                node.col_offset = node.end_col_offset = 0
        return compile(tree, file, "exec", dont_inherit=True), nodes
    except (SyntaxError, ValueError, RecursionError):
        return None, []


def _position(node: Any) -> Position:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def _codes(code: Optional[CodeType]) -> Iterator[CodeType]:
    if code is not None:
        yield code
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from _codes(constant)


def _line(code: CodeType, instruction: int) -> Optional[int]:
    found = None
    for start, line in dis.findlinestarts(code):
        if start > instruction:
            break
        found = line or found
    return found


def _calls_of(nodes: list[tuple[ast.AST, Position]], number: int) -> Iterator[int]:
    """The numbers of the calls of what a node names."""
    for other, (node, _where) in enumerate(nodes):
        if isinstance(node, ast.Call) and node.func is nodes[number][0]:
            yield other
