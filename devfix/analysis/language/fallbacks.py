"""Fallbacks: what a program has in place of a library that need not be installed.

``try: from fast import attention`` and ``except ImportError: attention = None``. Of a library of which nothing is known
nothing can be told, so the program is judged without it as well: its own function or class is what the name stands for.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.state import State, keep_main_path
from devfix.analysis.domain.values import NONE, Class, Const, External, Function, Scalar, Union, Value
from devfix.analysis.text.syntax import remembered
from devfix.analysis.torch_model import names

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_MISSING = frozenset({"ImportError", "ModuleNotFoundError", "Exception"})


@remembered
def _imports(node: ast.Try) -> bool:
    """Whether a ``try`` does nothing but import, and remember that it did."""
    kinds = [each for each in node.body if isinstance(each, (ast.Import, ast.ImportFrom))]
    rest = [each for each in node.body if isinstance(each, ast.Assign)]
    return bool(kinds) and len(kinds) + len(rest) == len(node.body)


def is_one(node: ast.Try, handler: ast.ExceptHandler) -> bool:
    """Whether a handler tells what takes the place of what could not be imported."""
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    known = all(each is None or (isinstance(each, ast.Name) and each.id in _MISSING) for each in types)
    return known and _imports(node)


def joined(interp: Interpreter, node: ast.Try, main: State, other: State) -> State:
    """What holds where a library was imported (``main``), and may not have been."""
    frame = interp.frame.id
    mine, theirs = dict(main.bound(frame)), dict(other.bound(frame))
    result = keep_main_path(main, other)
    strange = [name for name in _imported(node) if _is_strange(mine.get(name))]
    if not strange or main.dead or other.dead:
        return result
    for name, value in mine.items():
        fallback = theirs.get(name, value)
        found = _optional(value, fallback) if name in strange else _flag(value, fallback)
        if found is not value:
            result.set(frame, name, found)
    return result


@remembered
def _imported(node: ast.Try) -> frozenset[str]:
    """The names that a ``try`` binds to what it imports."""
    parts = [each for each in node.body if isinstance(each, (ast.Import, ast.ImportFrom))]
    return frozenset(alias.asname or alias.name.partition(".")[0] for part in parts for alias in part.names)


def _is_strange(value: Value | None) -> bool:
    return isinstance(value, External) and not value.absent and not names.is_familiar(value.name)


def _optional(value: Value, fallback: Value) -> Value:
    assert isinstance(value, External)
    if isinstance(fallback, (Function, Class)) and not _refuses(fallback.node):
        return fallback
    library = replace(value, optional=True)
    return Union((library, NONE)) if fallback == NONE else library


@remembered
def _refuses(node: ast.AST) -> bool:
    """Whether a function, or the making of an object of a class, does no more than to say that the library is missing."""
    body = getattr(node, "body", ())
    if isinstance(node, ast.ClassDef):
        return any(getattr(each, "name", "") in ("__init__", "__new__") and _refuses(each) for each in body)
    return isinstance(body, list) and isinstance(body[-1], ast.Raise)


def _flag(value: Value, fallback: Value) -> Value:
    """A truth that tells whether the library is there may be either."""
    truths = [each for each in (value, fallback) if isinstance(each, Const) and isinstance(each.value, bool)]
    return Scalar("bool") if len(truths) == 2 and value != fallback else value
