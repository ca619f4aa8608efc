"""What an analysis run writes down: mismatches, and which names hold what in which scope."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntFlag
from typing import Any, NamedTuple

from devfix.analysis.domain.lattice import Device
from devfix.file_report import RUN
from devfix.findings import Mismatch, Origin, Span
from devfix.records import frozen

#: The token of the device that a Module's parameters and inputs share when nobody calls it.
MODULE_TOKEN = "module"  # noqa: S105 - the name of a device, no secret
#: What is told beside the tokens of a mismatch with a parameter, which is not on the CPU because others ask where something is.
OWN = "own"
#: What is unified with the device of something that code asks for, to put something else there.
_FOLLOWED = "followed"

#: What the names of files begin with that another library than torch wrote.
OTHERS = "other"


@frozen
class Binding:
    """One binding of a name: the statement, and what the name stands for from there on; or the comprehension, within which it does.

    ``kind`` is ``device`` (an object or string naming a device), ``tensor``, ``module``, ``number``, ``none``, ``strange``
    (what a script got from elsewhere), ``ungiven`` (an attribute that got what no script decides) or ``other``; ``device`` says which one or where it lives.
    ``registered`` is an attribute that was bound to a Parameter, which a module keeps as its own.
    """

    kind: str
    device: Device | None
    statement: Span | None
    registered: bool = False

    def __hash__(self) -> int:
        span = self.statement
        return hash((self.kind, self.device) if span is None else (self.kind, span.line, span.column))


class OptionalCall(NamedTuple):
    """A call of a function that takes more than it must be given.

    ``given`` are the keywords of the call, ``positional`` is the number of the other arguments, the receiver among them;
    ``is_open`` tells that there may be more.
    """

    function: ast.AST
    defined_in: str
    path: str
    node: ast.expr
    positional: int
    given: frozenset[str]
    is_open: bool


class OptionalPlace(NamedTuple):
    """Such a call, told by the places of the function and of the expression, and the latter's kind."""

    defined_in: str
    line: int
    column: int
    path: str
    kind: str
    span: tuple[int, int, int, int]
    positional: int
    given: tuple[str, ...]
    is_open: bool


class Moved(IntFlag):
    """What calls of ``to`` did: nothing, in a script or elsewhere; something, or perhaps; outside of scripts nobody may know."""

    NOTHING_IN_SCRIPT = 1
    NOTHING = 2
    NOBODY_KNOWS = 4
    SOMETHING = 8

    @property
    def is_idle(self) -> bool:
        """Whether nothing was ever moved. What scripts show counts for more than what nobody knows of code that they do not reach."""
        unknown = self & Moved.NOBODY_KNOWS and not self & Moved.NOTHING_IN_SCRIPT
        return not self & Moved.SOMETHING and not unknown


#: What is added to a scope for what its dicts have: a name with a key, and no name by itself.
ENTRIES = "[]"
#: The same for the classes of objects, each the ``kind`` of a binding.
CLASSES = "()"
#: A file, a scope in it, a name, and what that was bound to.
BoundName = tuple[str, str, str, Binding]


@dataclass(slots=True)
class Recalled:
    """What is known by its place alone: functions (line and column, by file), and expressions (file, span)."""

    executed: defaultdict[str, set[tuple[int, int]]] = field(default_factory=lambda: defaultdict(set))
    things: set[tuple[str, Span]] = field(default_factory=set)
    idle: dict[tuple[str, Span], Moved] = field(default_factory=dict)
    optional: set[OptionalPlace] = field(default_factory=set)


@dataclass(slots=True)
class Recorder:
    """Collects over all runs of one program. Nothing is written while ``muted``."""

    mismatches: dict[Mismatch, tuple[str, ...]] = field(default_factory=dict)
    bindings: dict[tuple[str, str], dict[str, list[Binding]]] = field(default_factory=dict)
    #: Functions that were interpreted, and the files they are in.
    executed: dict[ast.AST, str] = field(default_factory=dict)
    #: Calls of functions that have parameters with defaults.
    optional: set[OptionalCall] = field(default_factory=set)
    #: Whether anything at all was put on an accelerator.
    accelerated: bool = False
    #: The files that are run.
    scripts: list[str] = field(default_factory=list)
    #: The lives of the models of the scripts (those that no other model holds).
    models: list[tuple[Origin, ...]] = field(default_factory=list)
    #: Where leaves that require grad are made; the ones of the scripts are parameters without a model.
    leaves: list[Origin] = field(default_factory=list)
    parameters: tuple[Origin, ...] = ()
    #: Whether the program asks if there is an accelerator, so that it may run without one.
    conditional: bool = False
    #: What was saved under which file name; those of other libraries than torch begin with ``OTHERS``.
    saved: dict[tuple[str, ...], Any] = field(default_factory=dict)
    #: The moves of tensors whose module, which keeps them, moved later; where began what is
    #: read on the CPU ("hosted"), and what goes into batches ("sampled").
    remarked: set[Origin] = field(default_factory=set)
    #: Expressions that make objects of the project which are no modules, and the files they are in.
    things: dict[ast.AST, str] = field(default_factory=dict)
    #: Calls of ``to`` (by identity): the file, the call, and what it moved.
    idle: dict[int, tuple[str, ast.Call, Moved]] = field(default_factory=dict)
    #: The same by their places, as they are known from an earlier run.
    recalled: Recalled = field(default_factory=Recalled)
    #: Whether a model itself, and not its state, is written to a file, and whether a script reads
    #: files of which it is not known what is in them.
    whole_models: bool = False
    strange_files: bool = False
    #: Whether a script that is still to be run saves something, too.
    saves_later: bool = False
    #: Whether there is a call in the program that writes a checkpoint.
    saves_files: bool = False
    #: Whether an operator takes a tensor and an array, which it may be that NumPy is to convert.
    converted: bool = False
    #: Whether a script gives a module to a process that it starts, or to what makes one of it that computes on the CPU alone.
    confined: bool = False
    #: Calls of ``torch.load`` that read what the script that makes them has written itself.
    own_files: set[Origin] = field(default_factory=set)
    #: Those that read what a script that makes them has not.
    files_of_others: set[Origin] = field(default_factory=set)
    #: The functions of each file whose analysis did not come to its end.
    unfinished: dict[str, set[str]] = field(default_factory=dict)
    muted: int = 0
    #: Whether the program may choose MPS; found out when it first matters.
    mps: bool | None = None
    _parents: dict[str, str] = field(default_factory=dict)
    _followed: dict[str, None] = field(default_factory=dict)
    #: All bindings, and the numbers of those that were made, or made again, since somebody wanted to know.
    bound: dict[BoundName, int] = field(default_factory=dict)
    journal: dict[int, None] | None = None
    #: And what was unified since.
    unified: dict[tuple[str, str], None] | None = None

    @contextmanager
    def mute(self) -> Iterator[None]:
        """Record no mismatch inside the block (an error is expected there, or knowledge is poor)."""
        self.muted += 1
        try:
            yield
        finally:
            self.muted -= 1

    @contextmanager
    def apart(self) -> Iterator[dict[Mismatch, tuple[str, ...]]]:
        """What is found inside the block is not written down, but given to who asks."""
        kept, self.mismatches = self.mismatches, {}
        try:
            yield self.mismatches
        finally:
            self.mismatches = kept

    @contextmanager
    def of_script(self) -> Iterator[None]:
        """What one script does: where it takes the accelerator unasked, it loads no file on another machine."""
        asked, accelerated = self.conditional, self.accelerated
        known = {found for found in self.mismatches if found.kind == "map-location"}
        self.conditional = self.accelerated = False
        yield
        if self.accelerated and not self.conditional:
            loads = [f for f in self.mismatches if f.kind == "map-location" and f not in known]
            for found in loads:
                del self.mismatches[found]
        self.conditional |= asked
        self.accelerated |= accelerated

    def mismatch(self, found: Mismatch, tokens: tuple[str, ...] = ()) -> None:
        """Write down a mismatch; with ``tokens`` it counts only if they all prove to be one device.

        That one device is the Module's: see :meth:`unify`.
        """
        if self.muted:
            return
        known = self.mismatches.get(found)
        if known is None or (known and not tokens):
            self.mismatches[found] = tokens

    def leave(self, path: str, *names: str) -> None:
        """Write down what is not analysed to its end: functions of a file, or what the file does when it is run."""
        self.unfinished.setdefault(path, set()).update(names or (RUN,))

    def was_run(self, path: str) -> bool:
        """Whether a file is a script that was run to its end."""
        return path in self.scripts and RUN not in self.unfinished.get(path, ())

    def leaf(self, origin: Origin) -> None:
        """Write down where a leaf that requires grad is made."""
        if origin not in self.leaves:
            self.leaves.append(origin)

    def call_of_to(self, path: str, node: ast.Call, moved: Moved) -> None:
        """Write down a call of ``to``, and what it moved this time."""
        known = self.idle.get(id(node))
        self.idle[id(node)] = (path, node, moved if known is None else moved | known[2])

    def was_executed(self, function: ast.AST, path: str) -> bool:
        """Whether a function of a file was interpreted."""
        places = self.recalled.executed.get(path)
        return function in self.executed or (places is not None and place_of(function) in places)

    def bind(self, path: str, scope: str, name: str, binding: Binding) -> int:
        """Write down that ``name`` was bound in a scope (dotted names are attributes); the binding's number."""
        new = len(self.bound)
        number = self.bound.setdefault((path, scope, name, binding), new)
        if number == new:
            self.bindings.setdefault((path, scope), {}).setdefault(name, []).append(binding)
        self.bind_again(number)
        return number

    def bind_again(self, number: int) -> None:
        """A binding was made once more."""
        if self.journal is not None:
            self.journal[number] = None

    def contents(self) -> Any:
        """What the files hold that torch saves; none where more will be."""
        return contents_of(self)

    def unify(self, a: str, b: str) -> None:
        """Learn that the devices behind two tokens are one (a program that runs proves it)."""
        if self.unified is not None:
            self.unified[a, b] = None
        if a == _FOLLOWED:
            self._followed[b] = None
            return
        x, y = self._find(a), self._find(b)
        if x != y:
            # The module's token stays the representative of its class.
            if x == MODULE_TOKEN:
                x, y = y, x
            self._parents[x] = y

    def follow(self, token: str) -> None:
        """Learn that code puts something where the device behind a token is: nobody would where that is always the CPU."""
        self.unify(_FOLLOWED, token)

    def same(self, a: str, b: str) -> bool:
        """Whether two tokens are known to be one device."""
        return self._find(a) == self._find(b)

    def _find(self, token: str) -> str:
        while token in self._parents:
            token = self._parents[token]
        return token

    def confirmed(self) -> list[Mismatch]:
        """The mismatches that hold, in a stable order."""
        followed = set(map(self._find, self._followed)) - {MODULE_TOKEN}
        held = [
            found
            for found, tokens in self.mismatches.items()
            if (found.kind != "map-location" or self._may_go_elsewhere(found))
            and self._are_placed(found, {self._find(token) for token in tokens}, followed)
        ]
        return sorted(held, key=lambda m: (m.path, m.sink, m.kind, m.operation, m.operands != ()))

    def _are_placed(self, found: Mismatch, tokens: set[str], followed: set[str]) -> bool:
        """Whether the devices that a mismatch goes by are all on an accelerator.

        Code that only follows where something is may be given everything on the CPU, by a test, say: what it meets then was
        made elsewhere.
        """
        if OWN in tokens or not tokens & followed:
            return tokens <= {MODULE_TOKEN, OWN}
        made = {
            operand.trail[0].path for operand in found.operands if operand.trail and operand.device == "cpu"
        }
        return tokens <= followed | {MODULE_TOKEN} and made <= {found.path}

    def _may_go_elsewhere(self, found: Mismatch) -> bool:
        """Whether a file may be loaded on another machine than it was written on."""
        loads = {site for operand in found.operands for site in operand.trail[:1]}
        return self.conditional and not loads <= self.own_files - self.files_of_others


def contents_of(recorder: Recorder) -> Any:
    """What the files hold that torch saves, without a trace of the question."""
    if recorder.saves_later:
        return ()
    return tuple(content for key, content in dict.items(recorder.saved) if key[0] != OTHERS)


def place_of(function: ast.AST) -> tuple[int, int]:
    """Where a function begins: its line and column."""
    return getattr(function, "lineno", 0), getattr(function, "col_offset", 0)
