"""Retracing: the analysis of a program that is edited again and again, each time from the traces of the last one."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from devfix.analysis.assumptions import changing_globals, given_options, own_files
from devfix.analysis.depth import in_depth
from devfix.analysis.entries import run_program
from devfix.analysis.library import Library
from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import Recorder
from devfix.analysis.reuse.traced import TracingInterpreter, TracingRecorder, traced_library
from devfix.analysis.reuse.traces import Trace
from devfix.analysis.reuse.tracing import Tracer
from devfix.analysis.reuse.watched import Watch

if TYPE_CHECKING:
    from devfix.project import Program


class Retracer:
    """Analyses one program after the other; the later ones have the trees of the first one, edited."""

    def __init__(self) -> None:
        self._trace: Trace | None = None
        self._watch = Watch()
        self._strained = False
        self._recorder: Recorder | None = None
        self._numbers: dict[object, int] = {}
        self._library: Library | None = None
        self._triggers: set[ast.stmt] = set()
        self._functions: set[ast.AST] = set()
        self._changing: dict[str, tuple[str, ...]] = {}
        self._saves = False

    def edited(self, triggers: Iterable[ast.stmt], functions: Iterable[ast.AST]) -> None:
        """Statements of functions were edited: the first that are reached where something is new are ``triggers``."""
        self._triggers.update(triggers)
        self._functions.update(functions)

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Forget what is edited and analysed in the block: afterwards all is as it was before."""
        kept = (self._trace, self._strained, self._recorder, self._numbers, self._library)
        told = (self._changing, self._saves)
        triggers, functions = set(self._triggers), set(self._functions)
        try:
            yield
        finally:
            self._trace, self._strained, self._recorder, self._numbers, self._library = kept
            self._changing, self._saves = told
            self._triggers, self._functions = triggers, functions

    def analyse(self, program: Program) -> Facts:
        """Everything that is known about the program; where that is broken off, it can be begun again."""
        changing = changing_globals.of(program)
        saves = own_files.are_written(program)
        if changing != self._changing or saves != self._saves:
            # What no run reaches is seen with other globals, or scripts with other files: nothing that was found there holds.
            self._trace, self._recorder, self._library, self._numbers = None, None, None, {}
            self._changing, self._saves = changing, saves
        before = self._trace
        if self._recorder is not None and not self._triggers and not self._functions:
            return Facts(program, self._recorder)  # it says the same in other words
        tracer = Tracer(
            self._watch, before, self._triggers, self._functions, self._numbers, strained=self._strained
        )
        recorder, library = TracingRecorder(tracer), traced_library(tracer, self._library)
        library.changing = changing

        def interpreter(program: Program, recorder: Recorder, library: Library) -> TracingInterpreter:
            return TracingInterpreter(program, recorder, library, tracer)

        library = in_depth(partial(run_program, program, recorder, interpreter, library))
        in_depth(partial(given_options.judge, program, recorder, library))
        self._trace, self._library, self._strained = tracer.root, library, tracer.strained
        self._numbers, self._recorder = tracer.numbers, recorder
        self._triggers.clear()
        self._functions.clear()
        return Facts(program, recorder)
