"""Facts: what an analysis run found out about a program, as the rules get to see it.

Kinds of mismatch:

``device``
    operands of one operation on two devices.
``dtype``
    operands of one operation (without promotion) of two dtypes.
``device-option``
    operands on two devices when an option of the program, the sink, is left alone.
``other-accelerator``
    operands on two accelerators.
``numpy``
    NumPy is handed a tensor that lives on the accelerator.
``array-dtype``
    NumPy is handed a tensor of a dtype that it does not have.
``host-only``
    an argument that must be on the CPU lives on the accelerator.
``index-dtype``
    an index that is no integer.
``target-dtype``
    a loss's target of a dtype it refuses; ``wanted`` names a right one.
``target-width``
    a loss's float64 target beside float32 predictions: no fault by itself on recent versions.
``in-place-dtype``
    an in-place operation whose result does not fit the tensor it is written to; ``wanted`` is the
    dtype that the first operand should have, ``bound`` marks the bound of a ``clamp_``.
``mask-dtype``
    a mask that is no bool tensor where nothing else will do.
``float-dtype``
    integers where an operation takes floats alone.
``narrow-float``
    floats of 16 bits where an operation takes wider ones alone.
``value-range``
    a number that the dtype of the tensor it is written into cannot hold; ``limit`` names the end
    of the dtype's range ("min", "max") that it is beyond.
``float64-on-mps``
    a float64 tensor goes to a device that may be MPS, which has none.
``generator``
    a generator and the call that draws from it on two devices.
``legacy-constructor``
    ``torch.FloatTensor(..., device=...)`` with an accelerator.
``device-string``
    a ``text`` that PyTorch refuses as a device; ``meant`` is the device that it stands for, where that is clear.
``worker``, ``pin``, ``framework-pin``
    a loader's worker, the pinning of a loader, or a framework's pinning meets tensors that a
    Dataset or collate function already moved.
``fork``
    a process that is forked from one that has used the accelerator uses it; ``spawned`` tells that it would do the same
    if it was spawned.
``optimizer-state``
    an optimizer's state is on the device its parameters have left.
``no-leaf``
    an optimizer is given a tensor that autograd does not see as a leaf.
``dispatched``
    a model that a device map or quantisation placed is moved.
``map-location``
    ``torch.load`` without ``map_location``.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from devfix.analysis.domain.lattice import CPU, Device
from devfix.analysis.record import lost_moves
from devfix.analysis.record.recorder import CLASSES, ENTRIES, MODULE_TOKEN, Binding, OptionalCall, Recorder
from devfix.analysis.record.trails import of_its_own
from devfix.analysis.reuse.recalled_calls import recalled_calls
from devfix.analysis.text.outline import Outline
from devfix.findings import Mismatch, Origin, Span

if TYPE_CHECKING:
    from devfix.project import Program
    from devfix.source import Source


class Facts:
    """The mismatches of a program, its sources, and what its names stand for."""

    #: Whether a run showed the mismatches: whatever they go back to was executed, with an accelerator.
    was_run = False

    def __init__(self, program: Program, recorder: Recorder) -> None:
        self.program = program
        self._recorder = recorder
        self._confirmed = lost_moves.without_mixed(recorder.confirmed(), recorder.remarked)
        #: What was asked of all of the program; see ``asked_once``.
        self.answers: dict[tuple[Hashable, ...], Any] = {}
        self._outlines: dict[str, Outline] = {}
        self._on_accelerator: dict[tuple[str, str, str], list[tuple[str, list[Binding]]]] = {}

    def mismatches(self, kind: str | None = None) -> list[Mismatch]:
        """The mismatches of one kind (or all), in a stable order."""
        return [m for m in self._confirmed if kind is None or m.kind == kind]

    def unadopted_models(self) -> list[tuple[Origin, ...]]:
        """The lives of models, in a program that says nothing of where it runs; else nothing."""
        return [] if self._is_decided() else list(self._recorder.models)

    def unadopted_parameters(self) -> list[Origin]:
        """Where such a program makes the leaves that require grad and belong to no model for certain."""
        return [] if self._is_decided() else list(self._recorder.parameters)

    def is_leaf(self, made: Origin) -> bool:
        """Whether a script makes a leaf that requires grad there, which whoever moves it later no longer has."""
        return made in self._recorder.parameters

    def _is_decided(self) -> bool:
        return self._recorder.accelerated or self._names_a_device()

    def is_with_module(self, device: Device | None) -> bool:
        """Whether this is the device of the parameters of a module, wherever that is, as a program that runs proves."""
        return (
            device is not None
            and device.kind == "same-as"
            and self._recorder.same(device.label, MODULE_TOKEN)
        )

    def moves_with_module(self, move: Origin) -> bool:
        """Whether the module that keeps what was moved there is seen to move as well."""
        return move in self._recorder.remarked

    def is_fraction(self, quotient: Origin) -> bool:
        """Whether what a division of whole numbers gives is also reckoned with as the float that it is."""
        return quotient in self._recorder.remarked

    @cached_property
    def widened(self) -> frozenset[Origin]:
        """The arguments that come in as halves, whose ``text`` is their dtype, and are reckoned with as wider floats."""
        return frozenset(site for site in self._recorder.remarked if site.kind == "widened")

    def entered_as(self, path: str, span: Span) -> frozenset[str]:
        """The dtypes in which an expression is seen to make tensors of arrays."""
        return frozenset(self._entries.get((path, span), ()))

    @cached_property
    def _entries(self) -> dict[tuple[str, Span], list[str]]:
        found: dict[tuple[str, Span], list[str]] = {}
        for site in self._recorder.remarked:
            if site.kind == "entered":
                found.setdefault((site.path, site.span), []).append(site.text)
        return found

    @cached_property
    def default_devices(self) -> frozenset[Origin]:
        """The calls that choose a default device, also where that is the CPU."""
        return frozenset(site for site in self._recorder.remarked if site.kind == "default")

    @cached_property
    def made_by_default(self) -> frozenset[Origin]:
        """What is made on a default device that the program has chosen, and that may be another than the CPU."""
        return frozenset(site for site in self._recorder.remarked if site.kind == "by-default")

    def is_read_on_host(self, trail: tuple[Origin, ...]) -> bool:
        """Whether what has this life is also given to a call that reads it on the CPU, or writes it to a file, and finds it there."""
        first = of_its_own(trail) if trail else None
        return first is not None and replace(first, kind="hosted") in self._recorder.remarked

    def stays(self, made: Origin, mismatch: Mismatch) -> bool:
        """Whether what is made there is read on the CPU or saved, too, or what another function makes goes into batches as well."""
        is_elsewhere = (made.path, made.scope) != (mismatch.path, mismatch.get("scope"))
        sampled = is_elsewhere and replace(made, kind="sampled") in self._recorder.remarked
        return sampled or self.is_read_on_host((made,))

    def is_sampled(self, named: Origin) -> bool:
        """Whether what got a name there, or was given for a parameter, goes on to the batches of a loader, from the CPU."""
        return (
            named.kind in ("name", "argument") and replace(named, kind="sampled") in self._recorder.remarked
        )

    def was_number(self, path: str, span: Span) -> bool:
        """Whether code that reads tensors on the CPU found a number, or an array, where an expression stands."""
        return (path, span) in self._numbers

    def holds_numbers(self, path: str, span: Span) -> bool:
        """Whether such code found a list of numbers where an expression stands, or what may be one for all that is known."""
        return self.was_number(path, span) or (path, span) in self._unsure

    @cached_property
    def _unsure(self) -> set[tuple[str, Span]]:
        return {(site.path, site.span) for site in self._recorder.remarked if site.kind == "unsure"}

    @cached_property
    def _numbers(self) -> set[tuple[str, Span]]:
        return {(site.path, site.span) for site in self._recorder.remarked if site.kind == "number"}

    def makes_things(self, path: str, node: ast.AST) -> bool:
        """Whether an expression of a file is seen to make an object of the project that is no module, and has no ``to``."""
        places = self._recorder.recalled.things
        return node in self._recorder.things or (
            bool(places) and isinstance(node, ast.expr) and (path, self.source(path).span(node)) in places
        )

    def calls_of(self, function: ast.AST) -> list[OptionalCall]:
        """The calls of a function that has parameters with defaults, or takes any."""
        return self._optional_of.get(function, [])

    def calls_at(self, node: ast.expr) -> list[OptionalCall]:
        """What one expression calls, when it is run again and again."""
        return [call for call in self._optional if call.node is node]

    @cached_property
    def _optional_of(self) -> dict[ast.AST, list[OptionalCall]]:
        found: dict[ast.AST, list[OptionalCall]] = {}
        for call in self._optional:
            found.setdefault(call.function, []).append(call)
        return found

    @cached_property
    def _optional(self) -> list[OptionalCall]:
        return [
            *self._recorder.optional,
            *recalled_calls(self._recorder.recalled.optional, self.program.sources),
        ]

    def idle_moves(self) -> Iterator[tuple[str, Span]]:
        """Calls of ``to`` that never move anything, by file and place."""
        found = dict(self._recorder.recalled.idle)
        for path, node, moved in self._recorder.idle.values():
            if path in self.program.sources:
                place = (path, self.source(path).span(node))
                found[place] = moved | found.get(place, moved)
        yield from (place for place, moved in found.items() if moved.is_idle)

    def unfinished(self) -> dict[str, tuple[str, ...]]:
        """The functions of each file whose analysis did not come to its end: the program is too large or takes too long."""
        return {path: tuple(sorted(names)) for path, names in self._recorder.unfinished.items()}

    def is_followed(self) -> bool:
        """Whether what meets a model that moves is seen.

        Not where a model is written to a file as a whole, and another script may load it to where it was, nor
        where NumPy may take in what was a tensor on the CPU, nor where another process is given a model, or quantization.
        """
        loaded = self._recorder.whole_models and self._recorder.strange_files
        return not (self._recorder.converted or self._recorder.confined or loaded)

    def is_script(self, path: str) -> bool:
        """Whether a file is run, and not only imported."""
        return path in self._recorder.scripts

    def _names_a_device(self) -> bool:
        """Whether a name or an attribute of the program stands for the CPU or an accelerator."""
        names = (bindings for scope in self._recorder.bindings.values() for bindings in scope.values())
        devices = (found.device for each in names for found in each if found.kind == "device")
        return any(device is not None and (device == CPU or device.is_accelerator) for device in devices)

    def source(self, path: str) -> Source:
        """The source of a file of the program."""
        return self.program.sources[path]

    def outline(self, path: str) -> Outline:
        """The outline of a file, made on first use."""
        if path not in self._outlines:
            self._outlines[path] = Outline(self.source(path))
        return self._outlines[path]

    def names(self, path: str) -> Iterator[list[Binding]]:
        """What each name of each scope of a file was bound to."""
        for (where, scope), names in self._recorder.bindings.items():
            if where == path and not scope.endswith((ENTRIES, CLASSES)):
                yield from names.values()

    def bindings(self, path: str, scope: str) -> dict[str, list[Binding]]:
        """What each name of a scope was bound to, over all contexts it ran in."""
        return self._recorder.bindings.get((path, scope), {})

    def entries(self, path: str, scope: str) -> dict[str, list[Binding]]:
        """The devices that dicts of a scope had, by the dict's name and the key; by the name alone where one had none."""
        return self.bindings(path, scope + ENTRIES)

    def classes_of(self, path: str, scope: str, name: str) -> frozenset[str]:
        """The names of the program's classes that the objects are of which a name of a scope was bound to."""
        return frozenset(each.kind for each in self.bindings(path, scope + CLASSES).get(name, ()))

    def on_accelerator(self, path: str, scope: str, kind: str) -> list[tuple[str, list[Binding]]]:
        """The names of a scope, with all they were bound to, that once were an accelerator or something on it."""
        key = (path, scope, kind)
        if key not in self._on_accelerator:
            self._on_accelerator[key] = [
                (name, found)
                for name, found in self.bindings(path, scope).items()
                if any(b.kind == kind and b.device is not None and b.device.is_accelerator for b in found)
            ]
        return self._on_accelerator[key]
