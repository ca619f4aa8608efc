"""Suspended generators: what a ``@contextmanager`` function has done so far holds for the body of the ``with``.

A function is interpreted as a whole. Where one waits at its ``yield`` while the body runs, the body begins in the
state of that moment, under the autocast and the mode of autograd that hold there, and what the rest of the function
changed is changed once the body is left.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.state import State, both, parted
from devfix.analysis.domain.values import UNKNOWN, Function, Ref, Sequence, TupleValue, Union, Value
from devfix.analysis.language.frames import CallSite, Frame, Loop
from devfix.analysis.language.iteration import MAX_ITEMS
from devfix.analysis.language.leaving import Leaving
from devfix.analysis.nn import reach
from devfix.analysis.text.scope_names import own_nodes
from devfix.analysis.text.syntax import in_rows, remembered

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

Values = Mapping[str, Value]

_MANAGERS = frozenset({"contextmanager", "asynccontextmanager"})


def note(interp: Interpreter, frame: Frame) -> None:
    """A function yields: remember the state if it manages the context that is just entered."""
    if interp.pauses is not None and _manages(frame):
        interp.pauses.append((interp.state.fork(), interp.autocast, interp.grad))


def give(interp: Interpreter, frame: Frame, values: tuple[Value, ...]) -> None:
    """A generator gives values, one after the other."""
    frame.yields.extend(values)
    if frame.branches or not all(loop.exact for loop in frame.loops):
        frame.unsure = True


def note_round(interp: Interpreter, loop: Loop) -> None:
    """A round of a loop ends: where some left it before and others did not, nobody knows what a generator still gives."""
    if (loop.breaks or loop.continues) and not interp.state.dead:
        interp.frame.unsure = True


@remembered
def _gives_in_turn(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> bool:
    """Whether a function yields in statements and loops alone, none of which may be left out by what is not looked at here."""
    body = node.body if isinstance(node.body, list) else []
    every = [part for part in in_rows(node) if isinstance(part, _YIELDS)]
    own = [part for part in map(_given_by, _plain_statements(body)) if part is not None]
    return len(own) == len(every)


_YIELDS = (ast.Yield, ast.YieldFrom)


def _plain_statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements but those within a ``try``, a ``while``, a ``with`` or a ``match``."""
    for statement in body:
        yield statement
        if isinstance(statement, (ast.For, ast.If)):
            yield from _plain_statements([*statement.body, *statement.orelse])


def _given_by(statement: ast.stmt) -> ast.expr | None:
    """What a statement yields that does nothing else, but for keeping what comes of it."""
    value = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
    return value if isinstance(value, _YIELDS) else None


def left_behind(interp: Interpreter, frame: Frame) -> list[Value]:
    """What a generator has given; unknown where that was made in a round that no path to its end has been through."""
    return [value if _is_there(interp, value) else UNKNOWN for value in frame.yields]


def _is_there(interp: Interpreter, value: Value) -> bool:
    if isinstance(value, (TupleValue, Union)):
        return all(_is_there(interp, part) for part in reach.within(value))
    return not isinstance(value, Ref) or interp.obj_of(value) is not None


def row(frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> tuple[Value, ...]:
    """What a generator gives, in turn; nothing where that depends on the way through it."""
    known = not frame.unsure and len(frame.returns) == 1 and len(frame.yields) <= MAX_ITEMS
    return tuple(frame.yields) if known and _gives_in_turn(node) else ()


def begun(interp: Interpreter, function: Function, site: CallSite, result: Value) -> Value:
    """What a call gives: a generator that it has just made is known by it, one that it hands on is not."""
    if not isinstance(result, Sequence) or not result.row or not _is_generator(function.node):
        return result
    return replace(result, made=interp.site("result", site.node))


@remembered
def _is_generator(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> bool:
    body = node.body if isinstance(node.body, list) else [node.body]
    return any(isinstance(part, _YIELDS) for part in own_nodes(body))


def _manages(frame: Frame) -> bool:
    decorators = getattr(frame.function.node, "decorator_list", ()) if frame.function is not None else ()
    return any(ast.unparse(each).rpartition(".")[2] in _MANAGERS for each in decorators)


def managed(interp: Interpreter, expression: ast.expr) -> tuple[Value, Leaving | None]:
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
    interp.state = paused.fork()

    def of_run() -> None:
        interp.autocast, interp.grad = outer

    return manager, Leaving(lambda: _resume(interp, paused, ended), of_run)


def _resume(interp: Interpreter, paused: State, ended: State) -> None:
    """What the rest of the manager changed is so now, but for objects that the body changed itself."""
    if ended.default_device is not paused.default_device:
        interp.state.default_device = ended.default_device
    if ended.hidden is not paused.hidden:
        interp.state.hidden = ended.hidden
    frames, heap = parted(ended, paused)
    for frame in frames:
        now = interp.state.bound(frame)
        for name, value in _given(paused.bound(frame), ended.bound(frame), now).items():
            interp.state.asked(frame, name)
            interp.state.set(frame, name, value)
    for address in heap:
        changed, then = both(ended, paused, address)
        held = interp.state.read(address)
        if changed is None or changed is then:
            continue
        if held is then:
            interp.state.write(address, changed)
        elif held is not None and then is not None:
            attrs = _given(then.attrs, changed.attrs, held.attrs)
            interp.state.write(address, replace(held, attrs={**held.attrs, **attrs}))


def _given(then: Values, ended: Values, now: Values) -> dict[str, Value]:
    """What names stand for to which the rest gave another value: nobody knows, where it may be made of what the body gave them."""
    return {
        name: value if now.get(name) is then.get(name) else UNKNOWN
        for name, value in ended.items()
        if value is not then.get(name)
    }
