"""Suspended generators: what a ``@contextmanager`` function has done so far holds for the body of the ``with``.

A function is interpreted as a whole. Where one waits at its ``yield`` while the body runs, the body begins in the
state of that moment, under the autocast and the mode of autograd that hold there, and what the rest of the function
changed is changed once the body is left.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.state import State
from devfix.analysis.domain.values import Value
from devfix.analysis.language.frames import Frame
from devfix.analysis.text.syntax import remembered, statements_in

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: A generator that gives more than so many things one by one is no pair or triple.
_MOST_TURNS = 6
_MANAGERS = frozenset({"contextmanager", "asynccontextmanager"})
#: What leaves a body before its end, and the rest of the manager is not seen to run.
_LEAVING = (ast.Return, ast.Break, ast.Continue)


def note(interp: Interpreter, frame: Frame) -> None:
    """A function yields: remember the state if it manages the context that is just entered."""
    if interp.pauses is not None and _manages(frame):
        interp.pauses.append((interp.state.fork(), interp.autocast, interp.grad))


@remembered
def _turns(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> int:
    """How many times a function yields, where each does so once, one after the other; else 0."""
    body = node.body if isinstance(node.body, list) else []
    own = [part for part in body if isinstance(part, ast.Expr) and isinstance(part.value, ast.Yield)]
    every = [part for part in ast.walk(node) if isinstance(part, (ast.Yield, ast.YieldFrom, ast.Return))]
    return len(own) if len(own) == len(every) else 0


def row(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, yields: list[Value]) -> tuple[Value, ...]:
    """What a generator gives, in turn; nothing where that depends on the way through it."""
    return tuple(yields) if 1 < len(yields) == _turns(node) <= _MOST_TURNS else ()


def _manages(frame: Frame) -> bool:
    decorators = getattr(frame.function.node, "decorator_list", ()) if frame.function is not None else ()
    return any(ast.unparse(each).rpartition(".")[2] in _MANAGERS for each in decorators)


def managed(
    interp: Interpreter, expression: ast.expr, body: list[ast.stmt]
) -> tuple[Value, Callable[[], None] | None]:
    """The manager that an expression stands for; and, where it waits in its middle, what ends it."""
    before, interp.pauses = interp.pauses, []
    try:
        manager = interp.eval(expression)
        pauses = interp.pauses
    finally:
        interp.pauses = before
    if len(pauses) != 1 or interp.state.dead:
        return manager, None
    [(paused, autocast, grad)], ended, outer = pauses, interp.state, (interp.autocast, interp.grad)
    interp.autocast, interp.grad = autocast, grad
    is_seen = not _is_left_early(body)
    if is_seen:
        interp.state = paused.fork()

    def resume() -> None:
        interp.autocast, interp.grad = outer
        if is_seen:
            _resume(interp, paused, ended)

    return manager, resume


def _resume(interp: Interpreter, paused: State, ended: State) -> None:
    """What the rest of the manager changed is so now, but for what the body changed itself."""
    for address, changed in ended.objects():
        then = paused.read(address)
        if changed is not then and interp.state.read(address) is then:
            interp.state.write(address, changed)


def _is_left_early(body: list[ast.stmt]) -> bool:
    return any(isinstance(part, _LEAVING) for each in body for part in statements_in(each))
