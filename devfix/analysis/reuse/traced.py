"""Traced: an interpreter, a recorder and a library that tell a tracer what they do and note down."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from devfix.analysis.accounts import keep, may_run_dry
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.state import State
from devfix.analysis.domain.values import Function, Value
from devfix.analysis.interpreter import Interpreter
from devfix.analysis.library import Library
from devfix.analysis.record.recorder import Binding, Moved, Recorder, contents_of
from devfix.analysis.reuse.carrying import CONTENTS
from devfix.analysis.reuse.outcomes import Outcome
from devfix.analysis.reuse.traces import Bound, Entry, Note
from devfix.analysis.reuse.tracing import Tracer
from devfix.analysis.reuse.watched import WatchedDict, WatchedList, WatchedSet, WatchedState
from devfix.findings import Mismatch, Origin

if TYPE_CHECKING:
    from devfix.analysis.language.frames import CallSite
    from devfix.project import Program


class TracingInterpreter(Interpreter):
    """An interpreter whose calls are traced."""

    def __init__(self, program: Program, recorder: Recorder, library: Library, tracer: Tracer) -> None:
        self.tracer = tracer
        super().__init__(program, recorder, library)
        self.checkpoints, self.loads = _Entries(tracer, "checkpoints"), _Entries(tracer, "loads")
        self.saved_models, self.written = _Entries(tracer, "saved_models"), _Elements(tracer, "written")
        self.read_files = _Elements(tracer, "read_files")
        self.retained, self.trained = _Elements(tracer, "retained"), _Elements(tracer, "trained")
        self.given = _Entries(tracer, "given")
        self.parameter_lists = WatchedList(tracer.watch, "parameter_lists")
        self.described = WatchedDict(tracer.watch, "described")

    def empty_state(self) -> State:
        """A state in which nothing was done beyond the library."""
        return WatchedState(self.library.layer, self.tracer.watch)

    def fresh_globals(self, path: str, *, main: bool) -> int:
        """A number for the globals of a file, where that can be the one that they had in the run before."""
        return self.tracer.number_of(self, (path, main))

    def run(self, body: Iterable[ast.stmt]) -> None:
        """Execute statements until the path ends, and see when an edited one is reached."""
        statements = self.tracer.statements(self, body)
        if self.stack[-1].kind != "module" or self.stack[-1].loops:
            super().run(statements)
            return
        for statement in statements:
            if self.state.dead:
                return
            self.tracer.statement(self, statement)

    def execute(self, statement: ast.stmt) -> None:
        """Execute one statement."""
        super().run((statement,))

    def lookup(self, name: str) -> Value | None:
        """The value of a variable as the innermost activation sees it, or None."""
        innermost = self.stack[-1]
        frame: int | None = innermost.module if name in innermost.globals else innermost.id
        bound, parents, keys = self.state.bound, self.parents, self.tracer.watch.keys
        while frame is not None:
            keys[frame, name] = None
            value = bound(frame).get(name)
            if value is not None:
                return value
            frame = parents.get(frame)
        return None

    def follow(self, function: Function, site: CallSite, *, alike: bool = False) -> Value:
        """The result of a call into the project, which may be known from the run before."""
        return self.tracer.call(self, function, site, alike=alike)

    def interpreted(self, function: Function, site: CallSite, *, alike: bool) -> Value:
        """The result of a call whose body is interpreted."""
        account = self.library.account(function)
        calls, steps = account.calls, account.steps
        self.tracer.strained |= may_run_dry(self, account, alike=alike)
        result = super().follow(function, site, alike=alike)
        if account.calls > calls:
            given = tuple(arg.value for arg in site.all_args())
            taken = account.steps - steps
            self.tracer.note(lambda interp: _book(interp, function, given, taken, result))
        return result

    def booked(self, outcome: Outcome) -> None:
        """An outcome was told of one more call."""
        copied = replace(outcome)
        self.tracer.note(lambda interp: _rebook(interp, copied))


def _book(
    interp: Interpreter, function: Function, given: tuple[Value, ...], steps: int, result: Value
) -> None:
    account = interp.library.account(function)
    account.book(steps)
    keep(interp, account, given, result)


def _rebook(interp: Interpreter, booked: Outcome) -> None:
    known = interp.library.outcomes.setdefault(booked.kind, booked)
    known.calls, known.result, known.beside = booked.calls, booked.result, booked.beside


class _Outcomes(dict[Any, Outcome]):
    """Outcomes that note when they are all forgotten."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__()
        self._tracer = tracer

    def clear(self) -> None:
        super().clear()
        self._tracer.note(lambda interp: dict.clear(interp.library.outcomes))


class _Noted(dict[Any, int]):
    """Nothing counts as noted: each call is to note all that it has to say."""

    def __setitem__(self, key: object, value: int) -> None:
        pass


class _Elements(WatchedSet):
    """A set that notes what is added to it."""

    def __init__(self, tracer: Tracer, name: str) -> None:
        super().__init__(tracer.watch, name)
        self._tracer = tracer

    def add(self, element: Any) -> None:
        super().add(element)
        self._tracer.enter(Entry(self._name, element))

    def update(self, *elements: Iterable[Any]) -> None:
        for element in (each for some in elements for each in some):
            self.add(element)


class _Entries(WatchedDict):
    """A dict that notes what is put into it."""

    def __init__(self, tracer: Tracer, name: str) -> None:
        super().__init__(tracer.watch, name)
        self._tracer = tracer

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        self._tracer.enter(Entry(self._name, key, value))


#: What a recorder is told for good.
_FLAGS = frozenset({"accelerated", "conditional", "whole_models", "strange_files", "converted", "confined"})


class TracingRecorder(Recorder):
    """A recorder that notes what it is told."""

    __slots__ = ("tracer",)

    def __init__(self, tracer: Tracer) -> None:
        self.tracer: Tracer | None = None
        super().__init__()
        self.tracer = tracer
        self.executed, self.things = _Entries(tracer, "executed"), _Entries(tracer, "things")
        self.optional = _Elements(tracer, "optional")
        self.remarked, self.saved = _Elements(tracer, "remarked"), _Entries(tracer, "saved")

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name in _FLAGS and value and self.tracer is not None and not self.tracer.replaying:
            self.tracer.note(lambda interp: setattr(interp.recorder, name, True))

    def _note(self, note: Note) -> None:
        if self.tracer is not None and not self.tracer.replaying:
            self.tracer.note(note)

    @contextmanager
    def apart(self) -> Iterator[dict[Mismatch, tuple[str, ...]]]:
        """What is found inside the block is not written down, but given to who asks."""
        kept: list[dict[Mismatch, tuple[str, ...]]] = []
        self._note(lambda interp: _set_aside(interp.recorder, kept))
        with super().apart() as found:
            yield found
        self._note(lambda interp: setattr(interp.recorder, "mismatches", kept.pop()))

    def mismatch(self, found: Mismatch, tokens: tuple[str, ...] = ()) -> None:
        """Write down a mismatch."""
        super().mismatch(found, tokens)
        if not self.muted:
            self._note(lambda interp: interp.recorder.mismatch(found, tokens))

    def leaf(self, origin: Origin) -> None:
        """Write down where a leaf that requires grad is made."""
        super().leaf(origin)
        self._note(lambda interp: interp.recorder.leaf(origin))

    def call_of_to(self, path: str, node: ast.Call, moved: Moved) -> None:
        """Write down a call of ``to``, and what it moved this time."""
        super().call_of_to(path, node, moved)
        self._note(lambda interp: interp.recorder.call_of_to(path, node, moved))

    def bind(self, path: str, scope: str, name: str, binding: Binding) -> int:
        """Write down that ``name`` was bound in a scope."""
        number = super().bind(path, scope, name, binding)
        self._note(Bound(path, scope, name, binding))
        return number

    def contents(self) -> Any:
        """What each of the files holds that torch saved: no more of them is asked."""
        found = contents_of(self)
        if self.tracer is not None:
            self.tracer.watch.entry(CONTENTS, None, found)
        return found

    def unify(self, a: str, b: str) -> None:
        """Learn that the devices behind two tokens are one."""
        super().unify(a, b)
        self._note(lambda interp: interp.recorder.unify(a, b))


def _set_aside(recorder: Recorder, kept: list[dict[Mismatch, tuple[str, ...]]]) -> None:
    kept.append(recorder.mismatches)
    recorder.mismatches = {}


def traced_library(tracer: Tracer, before: Library | None) -> Library:
    """What the runs of a program share, such that the states of the program's last runs can be gone on from."""
    library = Library()
    library.outcomes, library.noted = _Outcomes(tracer), _Noted()
    library.classes = WatchedList(tracer.watch, "classes")
    if before is not None:
        library.parents, library.layer = before.parents, before.layer
        library.parents.clear()
        library.layer.frames.clear()
        library.layer.heap.clear()
    return library
