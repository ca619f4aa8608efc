"""Units: what is found in one file apart from scripts, and what that depends on, so that it is known next time.

The functions and classes of a file that no script reaches are analysed with nothing in mind but what the modules of
the program hold. What a unit asked of them is written down, and a digest stands for the answers. As long as the answers
are the same, so is all that the unit told the recorder: that is kept, as plain data, and told again.

The modules themselves are executed each time. What a unit does that cannot be told again (it loads a module, or
writes a file that others read) makes it one that is run each time, too.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from devfix.analysis.accounts import Limit, Taken, is_beyond
from devfix.analysis.domain.fingerprints import Fingerprints, digest_of
from devfix.analysis.record.recorder import BoundName, Moved, OptionalPlace, Recorder, place_of
from devfix.analysis.reuse.recalled_calls import place_of_call
from devfix.analysis.torch_model.devices import mps
from devfix.findings import Mismatch, Origin, Span
from devfix.imports import parent_of

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.reuse.ahead import Ahead

#: A question that was asked: what of, and which.
Read = tuple[str | int, ...]

#: What is answered alike as long as the modules are the same.
_STEADY = frozenset({"name", "resolve", "folder", "loaded", "objects", "definitions", "text", "moves"})
#: Tells the functions of a file that were executed.
ExecutedIn = Callable[[str], frozenset[tuple[int, int]]]

#: What a recorder is told for good.
FLAGS = ("accelerated", "conditional", "whole_models", "strange_files", "converted", "confined")


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a unit took from the account of a function, and by when which limits were, or were not, reached."""

    place: tuple[str, int, int]
    taken: Taken
    kept_to: tuple[tuple[Limit, Taken], ...] = ()
    reached: tuple[tuple[Limit, Taken], ...] = ()

    def may_be_drawn(self, before: Taken) -> bool:
        """Whether a unit that begins when so much was taken already finds the same."""
        calls, steps = before
        kept = any(is_beyond(calls + c, steps + s, limit) for limit, (c, s) in self.kept_to)
        return not kept and all(is_beyond(calls + c, steps + s, limit) for limit, (c, s) in self.reached)


@dataclass(frozen=True, slots=True)
class Unit:
    """What a unit asked, a digest of the answers, and all that it told the recorder.

    ``bindings`` are numbers of what the keeper of units knows by them.
    """

    reads: tuple[Read, ...]
    digest: str
    steps: int
    flags: tuple[bool, ...] = ()
    bindings: tuple[int, ...] = ()
    mismatches: tuple[tuple[Mismatch, tuple[str, ...]], ...] = ()
    executed: tuple[tuple[str, int, int], ...] = ()
    things: tuple[tuple[str, Span], ...] = ()
    idle: tuple[tuple[str, Span, Moved], ...] = ()
    remarked: tuple[Origin, ...] = ()
    unified: tuple[tuple[str, str], ...] = ()
    accounts: tuple[Drawn, ...] = ()
    optional: tuple[OptionalPlace, ...] = ()
    unfinished: tuple[tuple[str, str], ...] = ()


class Found(NamedTuple):
    """A unit as another process has found it, and what tells whether it would be found here.

    It is the same where it begins with the same (``start``), and has the same answers to what passes, if the modules are those
    that were there (``is_steady``); else its digest tells.
    """

    unit: Unit
    start: str
    answers: tuple[str, ...]
    is_steady: bool


@dataclass(slots=True)
class Kept:
    """The units of a program by their files, and the bindings that they speak of."""

    units: Mapping[str, Unit] = field(default_factory=dict)
    bindings: Sequence[BoundName] = ()


class Keeper:
    """Recalls the units of a program that are known, and writes down the others."""

    def __init__(self, kept: Kept | None = None, *, lasting: bool = True) -> None:
        self._kept = kept or Kept()
        #: Whether what was found is wanted after the run, so that a digest has to tell what it depends on.
        self.lasting = lasting
        self._made: dict[str, Unit] = {}
        self._fingerprints: Fingerprints | None = None
        #: The recorder's number of each binding that is known, as far as it was told of them.
        self._numbers: dict[int, int] = {}
        self._recorder: Recorder | None = None
        #: How many statements were interpreted anew, and how many were not.
        self.steps, self.saved = 0, 0
        #: Who finds out units in other processes, where somebody does.
        self.ahead: Ahead | None = None

    def kept(self) -> Kept:
        """The units of the run that is over."""
        return Kept(self._made, () if self._recorder is None else tuple(self._recorder.bound))

    def run(self, interp: Interpreter, path: str, budget: int, body: Callable[[], bool]) -> None:
        """Do what ``body`` does, which says whether it came to its end, or what it did before."""
        self._recorder = interp.recorder
        if self._fingerprints is None:
            self._fingerprints = Fingerprints(interp)
        self._fingerprints.refresh(interp)
        kept = self._kept.units.get(path)
        if kept is not None and self._holds(interp, path, budget, kept):
            self.saved += kept.steps
            self._made[path] = self._repeated(interp, kept, self._number)
            self._left(path, self._made[path])
            return
        for found, number in self._found_elsewhere(path):
            unit = found.unit
            if self._holds(interp, path, budget, unit, found):
                self.steps += unit.steps
                self._made[path] = self._repeated(interp, unit, number)
                self._left(path, self._made[path])
                return
        watch = Watch(interp, path)
        interp.attend = None if self.ahead is None else self.ahead.attend
        whole = body()
        self.steps += interp.library.steps - watch.steps
        made = watch.end()
        if whole and watch.is_all:
            self.keep(interp, path, made, watch)
        self._left(path, made)

    def knows(self, path: str) -> bool:
        """Whether a unit of a file is kept, which may hold."""
        return path in self._kept.units

    def keep(self, interp: Interpreter, path: str, unit: Unit, watch: Watch) -> None:
        """Keep the unit of a file that was just found."""
        digest = self.digest(interp, path, unit.reads, watch) if self.lasting else ""
        self._made[path] = replace(unit, digest=digest)

    def _found_elsewhere(self, path: str) -> Iterator[tuple[Found, Callable[[int], int]]]:
        return iter(()) if self.ahead is None else self.ahead.candidates(path)

    def _left(self, path: str, unit: Unit) -> None:
        if self.ahead is not None:
            self.ahead.is_over(path, unit)

    def _holds(
        self, interp: Interpreter, path: str, budget: int, unit: Unit, found: Found | None = None
    ) -> bool:
        """Whether a unit is what would be found now."""
        if interp.library.steps + unit.steps >= budget or not _is_affordable(interp, unit):
            return False
        if found is None or not found.is_steady:
            return self.digest(interp, path, unit.reads) == unit.digest
        answers = self.passing_answers(interp, unit.reads, partial(executed_in, interp.recorder))
        return found.start == _start(interp, path) and found.answers == answers

    def digest(
        self, interp: Interpreter, path: str, reads: Sequence[Read], watch: Watch | None = None
    ) -> str:
        """What stands for all that a unit depends on, as it is now, or was when it began to be watched."""
        start = _start(interp, path) if watch is None else watch.start
        before = partial(executed_in, interp.recorder) if watch is None else watch.executed_in
        answers = " ".join(self._answer(interp, read, before) for read in reads)
        return digest_of(f"{path} {start} {interp.program.adopts} {reads} {answers}")

    def passing_answers(
        self, interp: Interpreter, reads: Sequence[Read], before: ExecutedIn
    ) -> tuple[str, ...]:
        """The answers to what may be otherwise though the modules have not changed."""
        return tuple(self._answer(interp, read, before) for read in reads if read[0] not in _STEADY)

    def _answer(self, interp: Interpreter, read: Read, before: ExecutedIn) -> str:
        assert self._fingerprints is not None, "made by run"
        kind, *what = read
        if kind == "executed":
            return str((what[1], what[2]) in before(str(what[0])))
        if kind == "name":
            path, name = map(str, what)
            frame = interp.library.modules.get(path)
            return "" if frame is None else self._fingerprints.of_variable(frame, name)
        if kind == "resolve":
            importer, module, level = what
            return str(interp.program.resolve(str(importer), str(module), int(level)))
        if kind == "folder":
            return str(interp.program.is_folder(parent_of(str(what[0]))))
        if kind == "loaded":
            return str(what[0] in interp.library.modules)
        if kind == "objects":
            return self._fingerprints.of_objects()
        if kind == "definitions":
            frame = interp.library.modules[str(what[0])]
            return self._fingerprints.of_definitions(frame, str(what[0]))
        if kind == "text":
            source = interp.program.sources.get(str(what[0]))
            return "" if source is None else digest_of(source.text)
        if kind == "moves":
            return str(interp.library.movers(interp.program).moves(str(what[0]), what[1]))
        if kind == "saved":
            return self._fingerprints.of_files(interp.recorder.saved)
        return f"{mps.is_chosen_in(interp)} {mps.is_asked_for_dtypes(interp)}"

    def _repeated(self, interp: Interpreter, unit: Unit, number: Callable[[int], int]) -> Unit:
        """Tell the recorder what the unit told it; the unit with the numbers that bindings have now."""
        recorder = interp.recorder
        interp.library.steps += unit.steps
        for drawn in unit.accounts:
            interp.library.ledger.draw(drawn.place, drawn.taken)
        for name, flag in zip(FLAGS, unit.flags, strict=True):
            setattr(recorder, name, flag)
        for mismatch, tokens in unit.mismatches:
            recorder.mismatch(mismatch, tokens)
        for a, b in unit.unified:
            recorder.unify(a, b)
        recorder.remarked.update(unit.remarked)
        for path, *place in unit.executed:
            recorder.recalled.executed[path].add((place[0], place[1]))
        recorder.recalled.optional.update(unit.optional)
        for path, name in unit.unfinished:
            recorder.leave(path, name)
        recorder.recalled.things.update(unit.things)
        for path, span, moved in unit.idle:
            recorder.recalled.idle[path, span] = moved | recorder.recalled.idle.get((path, span), moved)
        return replace(unit, bindings=tuple(map(number, unit.bindings)))

    def _number(self, known: int) -> int:
        number = self._numbers.get(known)
        if number is None:
            assert self._recorder is not None, "asked by run"
            number = self._numbers[known] = self._recorder.bind(*self._kept.bindings[known])
        return number


class Watch:
    """Sets aside what the recorder knows, to see what a unit tells it."""

    def __init__(self, interp: Interpreter, path: str) -> None:
        self._interp = interp
        recorder, library = interp.recorder, interp.library
        self.start = _start(interp, path)
        self.steps = library.steps
        self._modules, self._classes = len(library.modules), len(library.classes)
        library.entangled = False
        library.reads.clear()
        self._mismatches, recorder.mismatches = recorder.mismatches, {}
        self._things, recorder.things = recorder.things, {}
        self._idle, recorder.idle = recorder.idle, {}
        self._remarked, recorder.remarked = recorder.remarked, set()
        self._optional, recorder.optional = recorder.optional, set()
        self._unfinished, recorder.unfinished = recorder.unfinished, {}
        recorder.journal, recorder.unified = {}, {}
        #: Which functions had been executed, of the files of which that was asked; and whether all can be told.
        self._before: dict[str, frozenset[tuple[int, int]]] = {}
        self.is_all = False
        #: Functions are known once they were interpreted: which of them were interpreted here?
        self._executed, recorder.executed = recorder.executed, _Executed(recorder.executed)

    def end(self) -> Unit:
        """What was told, which is told the recorder again; whether it ``is_all`` there is to say is known then."""
        recorder, library = self._interp.recorder, self._interp.library
        found = self._told()
        recorder.journal = recorder.unified = None
        self.is_all = len(library.modules) == self._modules and not library.entangled
        if self.is_all:
            del library.classes[self._classes :]  # nobody else can know them
        return found

    def executed_in(self, path: str) -> frozenset[tuple[int, int]]:
        """The functions of a file that were executed before."""
        return self._before.get(path, frozenset())

    def _told(self) -> Unit:
        recorder, source = self._interp.recorder, self._interp.program.sources
        mismatches, recorder.mismatches = recorder.mismatches, self._mismatches
        for mismatch, tokens in mismatches.items():
            recorder.mismatch(mismatch, tokens)
        things, recorder.things = recorder.things, self._things
        recorder.things.update(things)
        idle, recorder.idle = recorder.idle, self._idle
        for path, node, moved in idle.values():
            recorder.call_of_to(path, node, moved)
        remarked, recorder.remarked = recorder.remarked, self._remarked
        recorder.remarked.update(remarked)
        optional, recorder.optional = recorder.optional, self._optional
        recorder.optional.update(optional)
        unfinished, recorder.unfinished = recorder.unfinished, self._unfinished
        for path, names in unfinished.items():
            recorder.leave(path, *names)
        executed, recorder.executed = recorder.executed, self._executed
        asked = {str(read[1]) for read in self._interp.library.reads if read[0] == "executed"}
        self._before = {path: executed_in(recorder, path) for path in asked}
        recorder.executed.update(executed)
        return Unit(
            tuple(sorted(self._reads(), key=repr)),
            "",
            self._interp.library.steps - self.steps,
            flags_of(recorder),
            tuple(recorder.journal or ()),
            tuple(mismatches.items()),
            tuple((path, *place_of(node)) for node, path in executed.items()),
            tuple(
                (path, source[path].span(node)) for node, path in things.items() if isinstance(node, ast.expr)
            ),
            tuple((path, source[path].span(node), moved) for path, node, moved in idle.values()),
            tuple(remarked),
            tuple(recorder.unified or ()),
            tuple(
                Drawn(place, each.taken(), tuple(each.kept_to.items()), tuple(each.reached.items()))
                for place, each in self._interp.library.accounts.items()
            ),
            tuple(sorted(set(map(place_of_call, optional)))),
            tuple((path, name) for path, names in unfinished.items() for name in sorted(names)),
        )

    def _reads(self) -> set[Read]:
        modules = {frame: path for path, frame in self._interp.library.modules.items()}
        found: set[Read] = set()
        for read in self._interp.library.reads:
            if not isinstance(read[0], int):
                found.add(read)
            elif read[0] in modules:
                found.add(("name", modules[read[0]], read[1]))
        return found


class _Executed(dict[ast.AST, str]):
    """The functions that were interpreted since; those of before count as well where somebody asks."""

    def __init__(self, before: Mapping[ast.AST, str]) -> None:
        super().__init__()
        self._before = before

    def __contains__(self, node: object) -> bool:
        return super().__contains__(node) or node in self._before


def _is_affordable(interp: Interpreter, unit: Unit) -> bool:
    taken = interp.library.ledger.taken
    return all(drawn.may_be_drawn(taken.get(drawn.place, (0, 0))) for drawn in unit.accounts)


def _start(interp: Interpreter, path: str) -> str:
    """What a unit begins with, besides what it asks for."""
    recorder, library = interp.recorder, interp.library
    floats = (
        library.default_floats, library.casts_unknown, library.default_type, library.as_given, bool(recorder.muted),
        library.default_placed,
    )  # fmt: skip
    return f"{sorted(executed_in(recorder, path))} {flags_of(recorder)} {floats}"


def executed_in(recorder: Recorder, path: str) -> frozenset[tuple[int, int]]:
    """The functions of a file that were executed, by their places."""
    executed = {place_of(node) for node, where in recorder.executed.items() if where == path}
    return frozenset(executed.union(recorder.recalled.executed.get(path, ())))


def flags_of(recorder: Recorder) -> tuple[Any, ...]:
    """What a recorder was told for good."""
    return tuple(getattr(recorder, name) for name in FLAGS)
