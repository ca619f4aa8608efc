"""What the interpreter knows of a running function and of one call."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from devfix.analysis.deciding.correlated import Choice
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.state import State
from devfix.analysis.domain.values import Class, Function, Obj, Value
from devfix.analysis.text.syntax import names_in


class ChosenResults(NamedTuple):
    """What a call gives where each of some tests comes out, where it does not, and the test."""

    call: ast.expr
    by_test: Mapping[str, tuple[Value, Value, ast.expr]]


class Put(NamedTuple):
    """What was put into a container, the key as it is spelt, what its names stood for then, and the container with it."""

    key: str
    names: Mapping[str, Value | None]
    container: Obj
    value: Value


@dataclass(slots=True)
class Frame:
    """One activation of a module, class body or function.

    ``scope`` is the qualified name within the module ("" for the module itself), ``parent`` the
    frame it closes over, ``module`` the frame of its module's globals. ``returns`` and ``breaks``
    collect the states that left early.
    """

    id: int
    path: str
    scope: str
    kind: str
    parent: int | None
    module: int
    function: Function | None = None
    owner: Class | None = None
    receiver: Value | None = None
    #: The statement being executed.
    statement: ast.stmt | None = None
    #: Whether a test that may be an option was met undecided: then returns say nothing together.
    options: bool = False
    #: In how many branches of tests that nobody decides the statement is.
    branches: int = 0
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    returns: list[tuple[Value, State]] = field(default_factory=list)
    #: What each ``return`` gives back, by its expression.
    results: list[tuple[ast.expr, Value]] = field(default_factory=list)
    #: Returns of exception handlers: what they leave behind counts only where nothing else returns.
    rescues: list[tuple[Value, State]] = field(default_factory=list)
    #: Which of them are those of handlers that make what a look-up has not found.
    filling: set[int] = field(default_factory=set)
    #: Which of the states at a ``return`` only options lead to that are not given as a rule.
    unusual: set[int] = field(default_factory=set)
    #: Which of them whether a file is there parts from the others.
    alike: set[int] = field(default_factory=set)
    yields: list[Value] = field(default_factory=list)
    #: Whether what a generator gives in turn depends on the way through it, which nobody knows.
    unsure: bool = False
    #: What a function was called with.
    given: tuple[Value, ...] = ()
    #: Whether the function calls itself again where recursion is not followed any more.
    is_cut: bool = False
    loops: list[Loop] = field(default_factory=list)
    #: What tests chose that were met undecided, by the test and the variable.
    choices: dict[str, dict[str, Choice]] = field(default_factory=dict)
    #: The objects that one branch of such a test made, the first where it says so.
    made: dict[str, frozenset[tuple[int, bool]]] = field(default_factory=dict)
    #: What tests of options chose, each with the objects that an unusual run has others of, of which nobody knows anything.
    replaced: list[tuple[Value, frozenset[Value]]] = field(default_factory=list)
    #: What options were taken to be by which an accelerator was chosen, and what else was known of them.
    settled: dict[str, tuple[Value, bool]] = field(default_factory=dict)
    #: What the function put last into a list or dict under a key that nobody knows, by its address.
    put: dict[int, Put] = field(default_factory=dict)
    #: What the call gives that is about to be bound, by the tests that chose what is called.
    chosen: ChosenResults | None = None


@dataclass(slots=True)
class Loop:
    """The states in which ``break`` and ``continue`` left the loop body.

    ``names`` are those that the loop binds, ``node`` its statement. ``by_data`` tells that a test of the data at hand
    decides about a ``continue``, so that some rounds take it and others do not, ``varied`` that what the round brings does.
    ``decided`` are the tests whose
    outcome was known so far; one that no longer is has ``opened`` a branch that no round has seen.
    ``grown`` are the names of the numbers that the last round changed. ``exact`` tells that each round of Python's is one here,
    ``is_first`` that this is the first of those that stand for all, ``once`` that there is one here that stands for all.
    """

    names: frozenset[str] = frozenset()
    node: ast.For | ast.AsyncFor | None = None
    by_data: bool = False
    varied: bool = False
    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)
    decided: set[ast.expr] = field(default_factory=set)
    opened: bool = False
    grown: set[str] = field(default_factory=set)
    #: What lists and modules were at the end of the round in which they came to be, by their address.
    made: dict[int, Obj] = field(default_factory=dict)
    #: What lists and tuples held at the end of the last round that names and attributes stood for.
    rows: dict[tuple[int, str], tuple[Value, ...]] = field(default_factory=dict)
    #: The tests that come out the same wherever one round asks them.
    asked: set[str] = field(default_factory=set)
    exact: bool = False
    is_first: bool = False
    once: bool = False

    def may_open(self) -> bool:
        """Whether a test whose outcome was known asks for a number that is no longer the same."""
        return bool(self.grown) and any(not self.grown.isdisjoint(names_in(test)) for test in self.decided)

    def note(self, test: ast.expr, *, decided: bool) -> None:
        """A round has met this test."""
        if decided:
            self.decided.add(test)
        elif test in self.decided:
            self.decided.remove(test)
            self.opened = True


class Arg(NamedTuple):
    """One argument: its value and the expression it came from (None for implicit ones)."""

    value: Value
    node: ast.expr | None = None


@dataclass(slots=True)
class CallSite:
    """A call with its arguments evaluated.

    ``open`` tells that ``*args`` or ``**kwargs`` of unknown content may add arguments, ``spread``
    that keywords may be among them. ``at_times`` names keywords that ``**kwargs`` has at times only. ``followed`` tells
    that all of ``*args`` is known but how many times a loop has put what is there into it. ``unnamed`` is what ``**kwargs``
    has under names that nobody knows.
    """

    node: ast.expr
    args: tuple[Arg, ...] = ()
    keywords: dict[str, Arg] = field(default_factory=dict)
    open: bool = False
    spread: bool = False
    at_times: frozenset[str] = frozenset()
    followed: bool = False
    unnamed: Arg | None = None

    def get(self, position: int | None, *names: str) -> Arg | None:
        """The argument at ``position``, or under one of ``names``."""
        if position is not None and position < len(self.args):
            return self.args[position]
        for name in names:
            if name in self.keywords:
                return self.keywords[name]
        return None

    def value(self, position: int | None, *names: str) -> Value | None:
        """The value of the argument at ``position`` or under one of ``names``."""
        arg = self.get(position, *names)
        return arg.value if arg is not None else None

    def shifted(self, receiver: Arg) -> CallSite:
        """The same call with one more argument in front (a method seen as a function)."""
        return replace(self, args=(receiver, *self.args))

    def with_first(self, value: Value) -> CallSite:
        """The same call with another value for its first argument."""
        return replace(self, args=(self.args[0]._replace(value=value), *self.args[1:]))

    def all_args(self) -> list[Arg]:
        """Every argument, positional ones first."""
        return [*self.args, *self.keywords.values()]
