"""Second tries: handlers that make, of what they moved or cast, what the body of their ``try`` could not."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from devfix.analysis.text.syntax import called, remembered, spelt, walk
from devfix.analysis.torch_model.tensors.moves import METHODS
from devfix.findings import Mismatch

#: What PyTorch raises where devices or dtypes do not fit, and what is above it.
_CAUGHT = frozenset({"RuntimeError", "Exception", "BaseException"})
#: The same where NumPy is handed what is on the accelerator.
_CAUGHT_OF_NUMPY = frozenset({"TypeError", "Exception", "BaseException"})
#: What is given back, beside the names that are bound.
_RESULT = "return"


@remembered
def of(node: ast.Try) -> ast.ExceptHandler | None:
    """The handler that is there for devices or dtypes that do not fit; None where there is none.

    It moves something of what the body uses, gives what the body would have given, and raises nothing.
    """
    given = _given(node.body)
    # What takes a look at all that is in the body, or in a handler, comes last: there may be others in these.
    alike = (each for each in node.handlers if _catches(each) and _given(each.body) & given)
    handlers = [(each, moved) for each in alike if (moved := _moved(each)) and not _raises(each)]
    if not handlers:
        return None
    used = {spelt(part) for part in _read(node.body)}
    return next((each for each, moved in handlers if moved & used), None)


def excuses(handler: ast.ExceptHandler, found: Mismatch) -> bool:
    """Whether what a mismatch raises gets to the handler."""
    return catches_of_numpy(handler) if found.kind == "numpy" else _catches(handler, _CAUGHT)


def catches_of_numpy(handler: ast.ExceptHandler) -> bool:
    """Whether what is raised where NumPy is handed what is on the accelerator gets to the handler."""
    return _catches(handler, _CAUGHT_OF_NUMPY)


def _catches(handler: ast.ExceptHandler, names: frozenset[str] = _CAUGHT | _CAUGHT_OF_NUMPY) -> bool:
    """Whether a handler is there for one of some errors of Python's, or for what the program has under a name of its own."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    named = (each.id for each in kinds if isinstance(each, ast.Name))
    return handler.type is None or any(name in names or not hasattr(builtins, name) for name in named)


def _raises(handler: ast.ExceptHandler) -> bool:
    return any(isinstance(part, ast.Raise) for each in handler.body for part in walk(each))


def _read(body: list[ast.stmt]) -> Iterator[ast.expr]:
    for part in (part for each in body for part in walk(each)):
        if isinstance(part, (ast.Name, ast.Attribute, ast.Subscript)) and isinstance(part.ctx, ast.Load):
            yield part


def _moved(handler: ast.ExceptHandler) -> set[str]:
    """What a handler calls a method of that moves or casts, be it after others, as it is spelt."""
    calls = (part for each in handler.body for part in walk(each) if isinstance(part, ast.Call))
    return {spelt(owner) for call in calls if _is_move(call) for owner in _owners(call)}


def _owners(call: ast.Call) -> Iterator[ast.expr]:
    """What the last method of a chain of calls is called on, then that of the one before: ``x.detach()`` and ``x``."""
    called_on: ast.expr = call
    while isinstance(called_on, ast.Call) and isinstance(called_on.func, ast.Attribute):
        called_on = called_on.func.value
        yield called_on


def _is_move(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and called(value) in METHODS


def _is_made(value: ast.expr | None) -> bool:
    """Whether a value is more than something moved, or nothing at all."""
    return value is not None and not isinstance(value, ast.Constant) and not _is_move(value)


def _given(body: list[ast.stmt]) -> set[str]:
    """What statements make and bind, and whether the last one returns such."""
    given = {
        spelt(target)
        for each in body
        if isinstance(each, (ast.Assign, ast.AugAssign)) and _is_made(each.value)
        for target in (each.targets if isinstance(each, ast.Assign) else [each.target])
    }
    returned = body[-1].value if isinstance(body[-1], ast.Return) else None
    return given | {_RESULT} if _is_made(returned) else given
