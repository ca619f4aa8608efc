"""Handlers: what a ``try`` statement leaves behind."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from devfix.analysis.assumptions import own_files
from devfix.analysis.domain.state import State, join_states, keep_main_path
from devfix.analysis.domain.values import Tensor
from devfix.analysis.language import fallbacks, leaving, raising, second_tries
from devfix.analysis.language.frames import Frame
from devfix.analysis.text import fetches, kept_results
from devfix.analysis.text.parts_within import attributes_in, calls_in
from devfix.analysis.torch_model.tensors.moves import METHODS
from devfix.findings import Mismatch

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def try_(interp: Interpreter, node: ast.Try) -> None:
    """A handler may start from anywhere in the body, so it sees both ends of it joined."""
    before = interp.state.fork()
    elsewhere, ways = _left_behind(interp.frame), leaving.so_far(interp)
    second = second_tries.of(node)
    with (
        interp.recorder.mute() if _fetches_instead(interp, node) else nullcontext(),
        _missed(interp, second) as missed,
        raising.collected(interp, node) as raised,
    ):
        last = _run_to_the_end(interp, node.body)
    certain = interp.state.dead and leaving.by_exceptions_alone(interp, ways)
    interp.run(node.orelse)
    leaving.early(interp, ways, lambda: interp.run(node.finalbody))
    after, ways = interp.state, leaving.so_far(interp)
    for handler in node.handlers:
        begun, ended = before.fork(), (last if after.dead else after).fork()
        if kept_results.makes_what_is_missing(node, handler):
            own_files.tell(interp, begun, ended)
        entry = join_states(begun, ended)
        entry.dead = False
        caught = raising.caught(interp, node, handler, raised)
        told = caught.is_known and caught.by_data
        by_data = told and any(frame.loops for frame in interp.stack)
        interp.state = caught.enter(entry, certain=certain or told)
        if handler.name:
            interp.state.set(interp.frame.id, handler.name, caught.exception)
        if missed and handler is second:
            interp.run(handler.body)
            after = interp.state
            continue
        if certain and caught.is_known:
            interp.run(handler.body)
            after = join_states(after, interp.state)
            continue
        if by_data:
            after = join_states(after, _taken_at_times(interp, handler), split=True)
            continue
        after = _handled(interp, node, handler, after, caught)
    with interp.recorder.mute():
        leaving.early(interp, ways, lambda: interp.run(node.finalbody))
    interp.state = after
    if node.handlers:
        for state in (after, *_left_behind(interp.frame).values()):
            if id(state) not in elsewhere:
                state.used = before.used  # what the body put there it may have failed to, and that was caught
    interp.run(node.finalbody)


def _left_behind(frame: Frame) -> dict[int, State]:
    """The states in which a function was left, or a round of one of its loops."""
    rounds = (state for loop in frame.loops for state in (*loop.breaks, *loop.continues))
    return {id(state): state for state in (*(state for _, state in frame.returns), *rounds)}


@contextmanager
def _missed(interp: Interpreter, second: ast.ExceptHandler | None) -> Iterator[Collection[Mismatch]]:
    """What does not fit in a body, which no run fails of where a handler then tries once more; nothing where none does."""
    if second is None:
        yield ()
        return
    with interp.recorder.apart() as found:
        yield found
    for each in [each for each in found if not second_tries.excuses(second, each)]:
        interp.recorder.mismatch(each, found.pop(each))


def _fetches_instead(interp: Interpreter, node: ast.Try) -> bool:
    """Whether a handler copies to the CPU what the body hands to NumPy from where it is."""
    reached = filter(second_tries.catches_of_numpy, node.handlers)
    return any(fetches.chosen(interp.source, handler.body, node.body) for handler in reached)


def _has_what_is_asked(interp: Interpreter, node: ast.Try, handler: ast.ExceptHandler) -> bool:
    """Whether the body moves tensors, or asks them for attributes: the handler is there for what is none."""
    if not isinstance(handler.type, ast.Name) or handler.type.id != "AttributeError":
        calls = (call.func for each in node.body for call in calls_in(each))
        if not all(isinstance(called, ast.Attribute) and called.attr in METHODS for called in calls):
            return False
    asked = (part for each in node.body for part in attributes_in(each))
    owners = [
        part.value for part in asked if not (isinstance(part.value, ast.Name) and part.value.id == "self")
    ]
    values = [interp.lookup(owner.id) if isinstance(owner, ast.Name) else None for owner in owners]
    return bool(values) and all(isinstance(value, Tensor) for value in values)


def _handled(
    interp: Interpreter, node: ast.Try, handler: ast.ExceptHandler, after: State, caught: raising.Caught
) -> State:
    """What holds behind a handler, which has been entered.

    The path without an exception is the program under analysis; a handler's only counts for the names that it alone
    binds. Where it makes what was not there yet, both are, unless it has nothing to do, and so they are where it takes
    from the program's own exception what that carries; that it does so where a test of data leads to the exception.
    """
    if fallbacks.is_one(node, handler):
        interp.run(handler.body)
        return fallbacks.joined(interp, node, after, interp.state)
    idle = _has_what_is_asked(interp, node, handler)
    returned = len(interp.frame.returns)
    fills = kept_results.makes_what_is_missing(node, handler) and not idle
    takes = caught.is_known and raising.takes_from(handler)
    with nullcontext() if fills or (takes and caught.by_data) else interp.recorder.mute():
        interp.run(handler.body)
    rescues = interp.frame.returns[returned:] if not idle else []
    interp.frame.rescues += rescues
    del interp.frame.returns[returned:]
    if not fills and takes:
        return join_states(after, interp.state)
    if not fills:
        return keep_main_path(after, interp.state)
    interp.frame.filling.update(id(state) for _, state in rescues)
    own_files.tell(interp, after, interp.state)
    return join_states(after, interp.state, alike=True)


def _taken_at_times(interp: Interpreter, handler: ast.ExceptHandler) -> State:
    """What holds behind a handler of what a test of data raises: one run takes it in some rounds, and not in others."""
    if interp.frame.loops and isinstance(handler.body[-1], ast.Continue):
        interp.frame.loops[-1].by_data = True
    interp.run(handler.body)
    return interp.state


def _run_to_the_end(interp: Interpreter, body: list[ast.stmt]) -> State:
    """Execute statements; the state before the one that ended the path, or else the last."""
    last = interp.state
    for statement in body:
        last = interp.state.fork()
        interp.run([statement])
        if interp.state.dead:
            return last
    return interp.state
