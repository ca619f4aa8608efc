"""The abstract interpreter: runs a program on abstract values and records what cannot work.

It interprets the ``ast`` the way Python runs it: entry scripts from top to bottom, calls followed
into the project's own functions, both sides of an undecided branch. What it knows of Python is in
``language``, what it knows of torch in ``torch_model``.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from devfix.analysis.domain.join import join_all, usually
from devfix.analysis.domain.state import State
from devfix.analysis.domain.values import UNKNOWN, Const, DTypeValue, Namespace, Ref, Unknown
from devfix.analysis.language import attributes, calls, elements, expressions, imports, statements, storing
from devfix.analysis.language.frames import CallSite, Frame
from devfix.analysis.library import Library
from devfix.analysis.memory import Memory
from devfix.analysis.record.recorder import Recorder
from devfix.analysis.record.trails import Trail
from devfix.analysis.torch_model.devices import default_choices
from devfix.findings import Mismatch, Origin

if TYPE_CHECKING:
    from devfix.analysis.domain.values import Function, Obj, Tensor, Value
    from devfix.analysis.language.leaving import Leaving
    from devfix.analysis.language.raising import Raised
    from devfix.analysis.reuse.outcomes import Outcome
    from devfix.project import Program
    from devfix.source import Source

#: What evaluates each kind of expression, and executes each kind of statement; this is asked most of all.
_evaluator_of, _executor_of = expressions.EVALUATORS.get, statements.EXECUTORS.get
#: Statements one entry point may take; past it the run stops recording (it knows too little).
STEP_LIMIT = 25_000
#: And calls: one statement may hold any number of them, each of which may lead to as many again.
CALL_LIMIT = 2 * STEP_LIMIT
#: After so many statements there is a look at what others do.
_SOME_STEPS = 40
#: Mistakes that fail in each run that makes them.
_CERTAIN = frozenset(
    ("device", "generator", "host-only", "no-leaf", "numpy", "optimizer-state", "mask-dtype", "worker", "pin")
)


class Interpreter(Memory):
    """One run from one entry point; ``recorder`` and ``library`` are shared by all runs of the program."""

    # Python reads a slot several times as fast as an entry of a dict that has more than 30.
    __slots__ = (
        "_pause", "_sites", "attend", "autocast", "bindings_noted", "blocked", "calls", "checkpoints", "cuts", "described",
        "dispatched", "free_until", "given", "grad", "granted", "holders", "is_script", "loads", "makes_batch",
        "parameter_lists", "pauses", "placements", "program", "raised", "raises", "read_files", "recorder",
        "retained", "samplers", "saved_models", "steps", "to_leave", "trained", "unbound", "written",
    )  # fmt: skip

    def __init__(self, program: Program, recorder: Recorder, library: Library) -> None:
        super().__init__(library)
        self.program = program
        self.recorder = recorder
        self.steps, self.calls, self._pause = 0, 0, 0
        #: What is done now and then beside the run.
        self.attend: Callable[[], None] | None = None
        #: Up to which step functions are followed whatever their accounts say, and how often that was granted.
        self.free_until, self.granted = 0, 0
        #: How often a recursion was not followed any deeper, and how often a name was read that nothing had bound.
        self.cuts, self.unbound = 0, 0
        #: The dtype of the autocast block that is active ("?": one that is not known).
        self.autocast: str | None = None
        #: Whether autograd records: no in ``torch.no_grad()``, None where nobody knows.
        self.grad: bool | None = True
        #: The states in which managers of contexts wait for the body, while one is entered.
        self.pauses: list[tuple[State, str | None, bool | None]] | None = None
        #: The states in which another process that is followed waits for more, if one is.
        self.blocked: list[State] | None = None
        #: How many exceptions of the program's own were raised, and those that a statement around it may catch, if there is one.
        self.raises, self.raised = 0, cast("list[Raised] | None", None)
        #: What undoes what a stack of managers has entered, or a manager whose ``__enter__`` was called.
        self.to_leave: dict[Value, list[Leaving]] = {}
        #: The first call of one of several functions that an option chose, as subcommands are called.
        self.dispatched: ast.expr | None = None
        #: What is put on the accelerator right now is written down here, when somebody wants to know.
        self.placements: list[Origin] | None = None
        #: Whether a batch is made right now, and of each module that was called whether it never was otherwise.
        self.makes_batch, self.samplers = False, dict[int, bool]()
        #: Where unknown arguments were given, by their tokens, in a program that is adopted; in others, parts of batches.
        self.given: dict[str, Trail] = {}
        #: Where tensors were made that keep their gradient though they are no leaves.
        self.retained: set[Origin] = set()
        #: Where tensors were made for which, under whatever name they had, autograd was told to collect gradients.
        self.trained: set[Origin] = set()
        #: Which call of ``torch.load`` an unknown value comes from, by its token.
        self.checkpoints: dict[str, Origin] = {}
        #: Which files each call of ``torch.load`` reads, and which files are written, by what identifies them.
        self.loads: dict[Origin, frozenset[tuple[str, ...]]] = {}
        self.written: set[tuple[str, ...]] = set()
        #: By what the files that are read are identified, and by what kinds of names.
        self.read_files: set[tuple[str, ...]] = set()
        #: The models that were written to files as a whole, as they were then.
        self.saved_models: dict[tuple[str, ...] | None, Value] = {}
        #: Lists of modules' parameters, which move with them.
        self.parameter_lists: list[Ref] = []
        #: Whether this run is that of a script, with the arguments it really has.
        self.is_script = False
        #: Whether the file that is imported right now was run as a script, which has noted its bindings.
        self.bindings_noted = False
        #: What holds a module, and its details, by the call that asked.
        self.described: dict[tuple[int, int, Trail], tuple[Tensor, dict[str, str]]] = {}
        #: What holds each module, and the objects for which that was found.
        self.holders: tuple[list[tuple[int, Obj]], dict[int, list[tuple[Ref, Ref | None]]]] | None = None
        self._sites = library.sites

    #: Calling a value, and what an attribute or an item of one is: those parts that any other may need get it with the interpreter.
    call, call_function, attribute = calls.call, calls.call_function, attributes.get_attribute
    item, put_item, element_of_object = expressions.item, storing.put_item, elements.of_object

    def eval(self, node: ast.expr) -> Value:
        """The abstract value of an expression."""
        evaluate = _evaluator_of(node.__class__)
        return evaluate(self, node) if evaluate is not None else UNKNOWN

    def saw(self, node: ast.expr | ast.arg, value: Value) -> None:
        """A name is bound at ``node``; for those who watch the run."""

    def either(
        self,
        members: Iterable[Value],
        outcome: Callable[[Value], Value],
        *,
        chosen: bool = False,
        usual: Value | None = None,
        whole: Collection[Value] = (),
    ) -> Value:
        """What becomes of a value that is one of several: it fails for certain when each of them does.

        With ``chosen`` each is what some run of the program has: where one of two models is on
        another device than its input, or hands NumPy what is on the accelerator, that run fails.
        What is one of the ``whole`` ones is all that its run does: whatever fails there is certain.
        The ``usual`` one is what a run without options has: whatever fails there is certain, and what it makes
        is what there is where nobody knows what the others make, and of dtypes the one that there is.
        """
        values, found = [], []
        certain: dict[Mismatch, tuple[str, ...]] = {}
        chief: Value | None = None
        before = self.state.dead
        for member in members:
            with self.recorder.apart() as mismatches:
                value = self.attempt(functools.partial(outcome, member))
            if value is None:
                continue
            values.append(value)
            found.append(mismatches)
            if usual is not None and member == usual:
                certain, chief = {**certain, **mismatches}, value
            elif member in whole:
                certain.update(mismatches)
        self.state.dead = before or not values
        for mismatch, tokens in certain.items():
            self.recorder.mismatch(mismatch, tokens)
        kinds = [{mismatch.kind for mismatch in mismatches} for mismatches in found]
        for mismatches in found:
            for mismatch, tokens in mismatches.items():
                if (chosen and mismatch.kind in _CERTAIN) or all(mismatch.kind in each for each in kinds):
                    self.recorder.mismatch(mismatch, tokens)
        joined = join_all(values, split=chosen)
        if chief is None:
            return joined
        return chief if isinstance(joined, (Unknown, DTypeValue)) else usually(joined, chief)

    def attempt(self, outcome: Callable[[], Value]) -> Value | None:
        """What comes of something that not every run does; None where it raises, so that the others go on."""
        before, used = self.state.dead, self.state.used
        value, self.state.used = outcome(), used
        if before or not self.state.dead:
            return value
        self.state.dead = False
        return None

    def run(self, body: Iterable[ast.stmt]) -> None:
        """Execute statements until the path ends."""
        frame = self.stack[-1]
        for node in body:
            if self.state.dead:
                return
            self.steps += 1
            if self.steps > self._pause:
                self._at_pause()
            frame.statement = node
            execute = _executor_of(node.__class__)
            if execute is not None:
                execute(self, node)

    def _at_pause(self) -> None:
        if self.steps > STEP_LIMIT:
            self.exhaust()
        if self.attend is not None:
            self.attend()
        self._pause = STEP_LIMIT if self.attend is None else min(self.steps + _SOME_STEPS, STEP_LIMIT)

    def may_call(self) -> bool:
        """Whether one more call is interpreted; not where so many were that they would have no end."""
        self.calls += 1
        if self.calls > CALL_LIMIT:
            self.exhaust()
        return self.calls <= 2 * CALL_LIMIT

    def follow(self, function: Function, site: CallSite, *, alike: bool = False) -> Value:
        """The result of a call into the project; for those who keep what calls come to."""
        return calls.followed(self, function, site, alike=alike)

    def booked(self, outcome: Outcome) -> None:
        """An outcome was told of one more call; for those who keep what calls come to."""

    def exhaust(self) -> None:
        """Give up on this run: too much code was followed to say anything for certain."""
        if self.steps != STEP_LIMIT * 2:
            self.steps = STEP_LIMIT * 2
            self.recorder.muted += 1

    def finish(self) -> None:
        """The run from one entry point is over; another may begin."""
        if self.exhausted:
            self.recorder.muted -= 1
        self.library.steps += min(self.steps, STEP_LIMIT)
        self.steps, self.calls, self._pause = 0, 0, 0

    @property
    def exhausted(self) -> bool:
        """Whether the run gave up."""
        return self.steps >= STEP_LIMIT * 2

    @property
    def source(self) -> Source:
        """The file of the innermost activation."""
        return self.program.sources[self.stack[-1].path]

    def fresh_globals(self, path: str, *, main: bool) -> int:  # noqa: ARG002 - those who keep what calls come to ask
        """Such a number for the globals of a file that is run, or imported."""
        return self.fresh()

    @contextmanager
    def entered(self, frame: Frame) -> Iterator[Frame]:
        """Make ``frame`` the innermost activation for the block."""
        self.parents[frame.id] = frame.parent
        self.stack.append(frame)
        try:
            yield frame
        finally:
            self.stack.pop()

    def load_module(self, path: str, name: str = "") -> Value:
        """The namespace of a project file, executing it on first use as part of the library.

        The package around comes first, as with Python. A folder that is none goes by the ``__init__.py`` that it lacks.
        """
        self.reads.add(("loaded", path))
        if path not in self.library.modules:
            imports.load_package(self, path, dotted := name or self.program.module_name(path))
        if path not in self.library.modules:
            frame_id = self.library.modules[path] = self.fresh_globals(path, main=False)
            if path not in self.program.sources:
                return Namespace(path)
            chosen = self.state.default_device
            with self._in_library():
                begun = self.state.default_device = default_choices.at_import(self.library, chosen)
                outer, self.bindings_noted = self.bindings_noted, self.recorder.was_run(path)
                self.execute_file(path, frame_id, dotted)
                self.bindings_noted = outer
                if self.exhausted:
                    self.recorder.leave(path)
                ended = self.state.default_device
                self.library.default_devices[path] = None if ended == begun else ended
        self.state.follow_default(self.library.default_devices.get(path))
        return Namespace(path)

    def execute_file(self, path: str, frame_id: int, name: str) -> None:
        """Run a file's statements as the module ``name``."""
        with self.entered(Frame(frame_id, path, "", "module", None, frame_id)):
            for known, text in imports.names_of(path, name).items():
                self.state.set(frame_id, known, Const(text))
            self.run(self.program.sources[path].tree.body)

    @contextmanager
    def _in_library(self) -> Iterator[None]:
        """Execute what follows apart from the running program, and keep the result for all runs.

        A module that is being executed shows the modules it imports what it has so far.
        """
        outer = (self.state, self.stack, self.autocast, self.grad, self.recorder.muted)
        taken = (self.steps, self.calls)
        if self.stack and self.stack[0].id == self.library.modules.get(self.stack[0].path):
            self.state.publish()
        self.state, self.stack, self.autocast, self.grad = self.empty_state(), [], None, True
        self.steps, self.calls = 0, 0
        try:
            yield
            self.state.publish()
        finally:
            self.state, self.stack, self.autocast, self.grad, self.recorder.muted = outer
            self.steps, self.calls = taken

    def module_frame(self, path: str) -> int:
        """The frame of a module's globals, which may be those of the script that runs."""
        found = self.library.modules.get(path)
        return self.stack[0].id if found is None else found

    def site(self, kind: str, node: ast.AST, text: str | None = None) -> Origin:
        """The place of a node in the file being executed, as plain data."""
        key = (node, kind)  # not by its identity alone: some are made on the way, and are gone afterwards
        known = self._sites.get(key)
        if known is None:
            frame = self.stack[-1]
            source = self.program.sources[frame.path]
            span = source.span(node)
            known = Origin(kind, frame.path, span, text or source.line_at(span), frame.scope)
            self._sites[key] = known
        return known

    def site_of_caller(self, kind: str, node: ast.AST) -> Origin:
        """The place of a node in what called the function being executed."""
        innermost = self.stack.pop()
        try:
            return self.site(kind, node)
        finally:
            self.stack.append(innermost)

    @contextmanager
    def watching(self) -> Iterator[list[Origin]]:
        """Collect every call that puts a tensor on the accelerator while the block runs."""
        seen: list[Origin] = []
        outer, self.placements = self.placements, seen
        try:
            yield seen
        finally:
            self.placements = outer
            if outer is not None:
                outer.extend(seen)

    def note_placement(self, kind: str, node: ast.AST) -> None:
        """A call at ``node`` puts a tensor on the accelerator."""
        if self.state.used is None or self.placements is not None:
            site = self.site(kind, node)
            self.state.used = self.state.used or site
            if self.placements is not None and site not in self.placements:
                self.placements.append(site)

    def text(self, node: ast.AST) -> str:
        """The source of a node on one line, shortened."""
        return self.source.line_at(self.source.span(node))
