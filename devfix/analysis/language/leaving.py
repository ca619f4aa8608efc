"""Leaving a block: what is done at its end is done as well where ``return``, ``break``, ``continue`` or an exception leaves it before."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from devfix.analysis.domain.state import State
from devfix.analysis.domain.values import UNKNOWN
from devfix.analysis.language import raising

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import Frame
    from devfix.analysis.language.raising import Raised


#: Of so many exceptions each is followed out of a block; more of them may be any.
_MAX_RAISED = 8


def _nothing() -> None:
    """Leaving changes nothing."""


class Leaving(NamedTuple):
    """What a manager does when its block is left: to the state of each way out, and once to the run itself."""

    in_state: Callable[[], None] = _nothing
    of_run: Callable[[], None] = _nothing

    def leave(self) -> None:
        """Leave where the block ends."""
        self.in_state()
        self.of_run()


NOTHING = Leaving()


class Ways(NamedTuple):
    """How many ways there were out of a function, and out of rounds of its innermost loop, when a block began.

    ``raised`` are the exceptions that a statement around the block may catch.
    """

    returns: int
    breaks: int
    continues: int
    raised: int


def so_far(interp: Interpreter) -> Ways:
    """The ways that there are before a block begins."""
    frame = interp.frame
    loop = frame.loops[-1] if frame.loops else None
    breaks, continues = (len(loop.breaks), len(loop.continues)) if loop else (0, 0)
    return Ways(len(frame.returns), breaks, continues, raising.count(interp))


def by_exceptions_alone(interp: Interpreter, before: Ways) -> bool:
    """Whether no ``return``, ``break`` or ``continue`` has left a block since ``before``."""
    return so_far(interp)._replace(raised=before.raised) == before


def by_all(interp: Interpreter, leaving: list[Leaving], before: Ways) -> None:
    """Leave managers in reverse order, in each state in which their block was left since ``before``."""
    if any(each.in_state is not _nothing for each in leaving):
        early(interp, before, lambda: _leave_state(leaving))
    for each in reversed(leaving):
        each.leave()


def _leave_state(leaving: list[Leaving]) -> None:
    for each in reversed(leaving):
        each.in_state()


def early(interp: Interpreter, before: Ways, act: Callable[[], None]) -> None:
    """Do something in each state in which a block was left since ``before``."""
    frame, end = interp.frame, interp.state
    if frame.loops:
        loop = frame.loops[-1]
        _rounds(interp, loop.breaks, before.breaks, act)
        _rounds(interp, loop.continues, before.continues, act)
    left = frame.returns[before.returns :]
    del frame.returns[before.returns :]
    for value, state in left:
        after = _acted(interp, state, act)
        _rename(frame, state, after)
        if not after.dead:
            frame.returns.append((value, after))
    if interp.raised is not None:
        _exceptions(interp, interp.raised, before.raised, act)
    interp.state = end


def _exceptions(interp: Interpreter, raised: list[Raised], begun: int, act: Callable[[], None]) -> None:
    """The same for what was raised, on whose way nothing is told, as nobody knows of all that is raised."""
    left = raised[begun:]
    del raised[begun:]
    known = [each for each in left if each.value != UNKNOWN]
    raised += [each for each in left if each.value == UNKNOWN]  # no handler begins in the state of one
    if len(known) > _MAX_RAISED:
        raised.append(known[0]._replace(value=UNKNOWN))
        return
    for each in known:
        with interp.recorder.mute():
            after = _acted(interp, each.state.fork(), act)
        if not after.dead:
            raised.append(each._replace(state=after))


def _rounds(interp: Interpreter, states: list[State], begun: int, act: Callable[[], None]) -> None:
    left = states[begun:]
    del states[begun:]
    for state in left:
        after = _acted(interp, state, act)
        if not after.dead:
            states.append(after)


def _acted(interp: Interpreter, state: State, act: Callable[[], None]) -> State:
    interp.state = state
    act()
    return interp.state


def _rename(frame: Frame, state: State, after: State) -> None:
    """What is known of a way out goes on to be known of it."""
    for known in (frame.unusual, frame.alike):
        if id(state) in known:
            known.discard(id(state))
            known.add(id(after))
