"""Library: what all runs of a program share."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from devfix.analysis.accounts import Account
from devfix.analysis.domain.state import Layer
from devfix.analysis.domain.values import Class, Function, Value
from devfix.analysis.reuse.ledger import Ledger, Place
from devfix.analysis.reuse.outcomes import Outcome
from devfix.analysis.text.movers import Movers
from devfix.analysis.text.syntax import makes_functions
from devfix.findings import Origin

if TYPE_CHECKING:
    from devfix.project import Program
    from devfix.source import Source


@dataclass(slots=True)
class Library:
    """What all runs of a program share: its modules, executed once, and the numbering of frames and objects."""

    modules: dict[str, int] = field(default_factory=dict)
    parents: dict[int, int | None] = field(default_factory=dict)
    sites: dict[tuple[ast.AST, str], Origin] = field(default_factory=dict)
    ids: Iterator[int] = field(default_factory=lambda: count(1))
    #: How many statements all finished runs took.
    steps: int = 0
    #: The accounts of functions, and what was taken from them before, as far as that counts; see ``Ledger``.
    accounts: dict[Place, Account] = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)
    #: What functions that were interpreted outside of scripts came to, by the kind of call.
    outcomes: dict[Hashable, Outcome] = field(default_factory=dict)
    #: What was noted of bindings already, and its number with the recorder; see ``notes``.
    noted: dict[tuple[str, str, str, tuple[object, ...], int], int] = field(default_factory=dict)
    #: What was asked of the modules since somebody wanted to know; see ``reads``.
    reads: set[tuple[Any, ...]] = field(default_factory=set)
    #: Whether something was asked or done that cannot be told of afterwards.
    entangled: bool = False
    #: All classes; what they descend from outside of the project, and which are Modules, by their frames.
    classes: list[Class] = field(default_factory=list)
    outer_bases: dict[int, tuple[str, ...]] = field(default_factory=dict)
    module_classes: dict[int, bool] = field(default_factory=dict)
    #: The attributes that methods of classes assign once an object is made, by the classes' frames.
    reassigned: dict[int, frozenset[str]] = field(default_factory=dict)
    #: The globals that functions set, by the path of their module, once somebody has asked.
    changing: dict[str, tuple[str, ...]] | None = None
    #: Which functions make functions or classes, as far as that was asked.
    makers: dict[ast.AST, bool] = field(default_factory=dict)
    #: The functions that move what they are given, once somebody has asked.
    found_movers: Movers | None = None
    #: Which parameters functions move, by themselves or by others, and what of ``reads`` that goes by.
    moved: dict[ast.AST, tuple[frozenset[str], tuple[tuple[str, str, int | str], ...]]] = field(
        default_factory=dict
    )
    #: Whether options keep their defaults, and the device options whose default is the CPU.
    as_given: bool = False
    host_options: list[Origin] = field(default_factory=list)
    #: Whether floats are float32 unless told otherwise; where not, nobody knows how wide they are.
    default_floats: bool = True
    #: Whether a script casts what is not known, or is one of several, which may be a model of any class that nobody is seen to construct.
    casts_unknown: bool = False
    #: Whether the default device is that of a default tensor type, which ``torch.Tensor`` follows.
    default_type: bool = False
    #: Whether some function of the program sets the default device.
    default_placed: bool = False
    #: The default device that importing a module leaves behind, by the module's path.
    default_devices: dict[str, Value | None] = field(default_factory=dict)
    layer: Layer = field(init=False)

    def __post_init__(self) -> None:
        self.layer = Layer(self.parents)

    def begin_anew(self) -> None:
        """Keep of the calls so far how much they took, and not what they came to."""
        for place, account in self.accounts.items():
            self.ledger.draw(place, account.taken())
        self.accounts.clear()
        dict.clear(self.outcomes)  # with no note of it: whoever repeats a run begins anew at the same places

    def enter(self, block: int) -> None:
        """Go on to a block of files; what was taken so far is of the one before."""
        self.begin_anew()
        self.ledger.enter(block)

    def account(self, function: Function) -> Account:
        """The account of a function."""
        node = function.node
        place = (function.path, node.lineno, node.col_offset)
        found = self.accounts.get(place)
        if found is None:
            before = self.ledger.taken.get(place, (0, 0))
            found = self.accounts[place] = Account(*before, before=before)
        return found

    def movers(self, program: Program) -> Movers:
        """The functions of the program that move what they are given."""
        if self.found_movers is None:
            self.found_movers = Movers(program.sources)
        return self.found_movers

    def makes_functions(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, source: Source
    ) -> bool:
        """Whether a function makes functions or classes, which may outlive a call of it."""
        known = self.makers.get(node)
        if known is None:
            known = self.makers[node] = makes_functions(node, source)
        return known
