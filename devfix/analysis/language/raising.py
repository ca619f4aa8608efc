"""Raising: the exceptions of the program's own that a handler may catch, with what they carry, and the states they come from."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

from devfix.analysis.domain import classes
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.state import State, join_states
from devfix.analysis.domain.values import UNKNOWN, Class, External, Obj, Ref, Sequence, TupleValue, Value
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn.modules import external_bases
from devfix.analysis.text.syntax import remembered, walk
from devfix.analysis.torch_model.python import exceptions

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_STOP = External("builtins.StopIteration")
_WRONG_VALUE = External("builtins.ValueError")
#: Exceptions of Python's own that a handler may be there for by which a program tells one form of its data from another.
_TELLING = frozenset({"StopIteration", "ValueError"})


class Raised(NamedTuple):
    """An exception, unknown where a call was not followed that may raise any, and the state in which it was raised.

    ``by_data``: tests of data alone led to it, so that a run goes on after it has raised this, and raises it after it
    went on. None where no test did so far.
    """

    value: Value
    state: State
    by_data: bool | None = None


def raise_(interp: Interpreter, node: ast.Raise) -> None:
    """The exception is made, and the path ends here; a ``try`` around it is told of one of the program's own.

    So it is of one of Python's own that carries something.
    """
    if node.exc is not None:
        value = interp.eval(node.exc)
        if isinstance(value, Class) and interp.raised is not None:
            value = interp.call(value, CallSite(node.exc))
        obj = interp.obj_of(value)
        if obj is not None and (isinstance(obj.cls, Class) or exceptions.ARGS in obj.attrs):
            _note(interp, value)
    interp.state.dead = True


def _note(interp: Interpreter, value: Value) -> None:
    interp.raises += 1
    if interp.raised is not None and not interp.state.dead:
        interp.raised.append(Raised(value, interp.state.fork()))


def count(interp: Interpreter) -> int:
    """How many exceptions the ``try`` statement around has been told of so far."""
    return len(interp.raised or ())


def depend(interp: Interpreter, since: int, *, on_data: bool) -> None:
    """What was raised since then was raised in one branch of a test, of data or of what may be an option."""
    if interp.raised is not None:
        interp.raised[since:] = [
            each._replace(by_data=on_data and each.by_data is not False) for each in interp.raised[since:]
        ]


def not_followed(interp: Interpreter) -> None:
    """A call is not followed, and may raise what others raise."""
    if interp.raised is not None:
        interp.raised.append(Raised(UNKNOWN, interp.state.fork()))


@contextmanager
def kept(interp: Interpreter) -> Iterator[None]:
    """What is raised in a block stays in it, as far as anybody knows: no ``try`` around is told."""
    outer, interp.raised = interp.raised, None
    try:
        yield
    finally:
        interp.raised = outer


def ended(interp: Interpreter, generator: Value) -> None:
    """A generator is asked for one more value, and may have come to its end: it says so with what it returns."""
    obj = interp.obj_of(generator) if interp.raised is not None else None
    begun = obj.attrs.get(iteration.RESULT) if obj is not None and obj.cls == iteration.ITERATOR else None
    result = generator.result if isinstance(generator, Sequence) else begun
    if interp.raised is None or result is None or iteration.left(interp, generator):
        return
    told = Obj("external", _STOP, attrs={"value": result})
    _note(interp, interp.new(told))


def at_end(interp: Interpreter, iterated: Value) -> bool:
    """What is known to give nothing is asked for one value, and the path ends where a ``try`` may catch that."""
    if interp.raised is None or not isinstance(iterated, TupleValue) or iterated.items:
        return False
    _note(interp, interp.new(Obj("external", _STOP)))
    interp.state.dead = True
    return True


def does_not_fit(interp: Interpreter, value: Value, targets: ast.Tuple | ast.List) -> bool:
    """What is known to have other items than there are targets is taken apart, and the path ends where a ``try`` may catch that."""
    if interp.raised is None or not isinstance(value, TupleValue):
        return False
    stars = sum(isinstance(each, ast.Starred) for each in targets.elts)
    count, least = len(value.items), len(targets.elts) - stars
    if count == least or (stars and count > least):
        return False
    _note(interp, interp.new(Obj("external", _WRONG_VALUE)))
    interp.state.dead = True
    return True


@contextmanager
def collected(interp: Interpreter, node: ast.Try) -> Iterator[list[Raised]]:
    """What is raised in the block; those around it are told of what no handler of ``node`` is sure to catch."""
    outer = interp.raised
    wanted = outer is not None or any(_is_told(each) or _catches_own(interp, each) for each in node.handlers)
    if node.__class__ is not ast.Try or not wanted:
        yield []  # what ``except*`` gives is a group of them
        return
    interp.raised = raised = list[Raised]()
    try:
        yield raised
    finally:
        interp.raised = outer
    if outer is not None:
        outer += [
            each for each in raised if not any(_catches(interp, handler, each) for handler in node.handlers)
        ]


def _is_told(handler: ast.ExceptHandler) -> bool:
    """Whether it makes a difference to a handler what was raised: it has a name for it, or tells by it what there is."""
    return bool(handler.name) or (isinstance(handler.type, ast.Name) and handler.type.id in _TELLING)


class Caught(NamedTuple):
    """What a handler catches of what is known to be raised; ``exception`` is unknown where it may be another one."""

    exception: Value
    states: tuple[State, ...]
    by_data: bool = False

    @property
    def is_known(self) -> bool:
        """Whether all that it catches is known to be raised, and what that carries."""
        return self.exception != UNKNOWN

    def enter(self, state: State, *, certain: bool) -> State:
        """The state in which the handler begins, which may begin in ``state`` as well, unless these exceptions are ``certain``."""
        forks = [each.fork() for each in self.states]
        return reduce(join_states, forks if certain and self.is_known else [state, *forks])


def caught(interp: Interpreter, node: ast.Try, handler: ast.ExceptHandler, raised: list[Raised]) -> Caught:
    """What one of the handlers of a statement catches: the first that an exception fits does."""
    before = node.handlers[: node.handlers.index(handler)]
    found: list[Raised] = []
    for each in raised:
        if _catches(interp, handler, each) is False or any(_catches(interp, one, each) for one in before):
            continue
        found.append(each)
    values = [UNKNOWN if _catches(interp, handler, each) is None else each.value for each in found]
    states = tuple(each.state for each in found if each.value != UNKNOWN)
    return Caught(join_all(values), states, bool(found) and all(each.by_data is True for each in found))


def _catches_own(interp: Interpreter, handler: ast.ExceptHandler) -> bool:
    """Whether a handler is for exceptions of one class of the program's own."""
    return isinstance(handler.type, ast.Name) and isinstance(interp.lookup(handler.type.id), Class)


def _catches(interp: Interpreter, handler: ast.ExceptHandler, raised: Raised) -> bool | None:
    """Whether a handler catches an exception; None where nobody knows."""
    if handler.type is None:
        return True
    kind = interp.eval(handler.type)
    answers = [
        _is_one(interp, raised, each) for each in (kind.items if isinstance(kind, TupleValue) else (kind,))
    ]
    return True if True in answers else None if None in answers else False


def _is_one(interp: Interpreter, raised: Raised, kind: Value) -> bool | None:
    obj = raised.state.read(raised.value.address) if isinstance(raised.value, Ref) else None
    if obj is None or not isinstance(kind, (Class, External)):
        return None
    if isinstance(kind, Class):
        above = classes.linearise(obj.cls) if isinstance(obj.cls, Class) else []
        return any(each.node is kind.node for each in above)
    asked = _built_in(kind.name)
    bases = [_built_in(name) for name in external_bases(interp, obj.cls)]
    if asked is None or None in bases:
        return None
    return any(base is not None and issubclass(base, asked) for base in bases)


def _built_in(name: str) -> type[BaseException] | None:
    """An exception of Python's own, by its name."""
    package, _, last = name.rpartition(".")
    found = getattr(builtins, last, None) if package == "builtins" else None
    return found if isinstance(found, type) and issubclass(found, BaseException) else None


@remembered
def takes_from(handler: ast.ExceptHandler) -> bool:
    """Whether a handler takes something from the exception that it has caught."""
    parts = (part for statement in handler.body for part in walk(statement))
    owners = (part.value for part in parts if isinstance(part, ast.Attribute))
    return handler.name is not None and any(
        isinstance(owner, ast.Name) and owner.id == handler.name for owner in owners
    )
