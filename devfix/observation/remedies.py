"""Remedies: what the rules propose for each mismatch that a run showed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from devfix.analysis.entries import run_program
from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import Recorder
from devfix.findings import Applicability, FileEdit, Finding, Fix, Mismatch, Note, WrapExpression
from devfix.judgement import judge
from devfix.observation import beside, called, carried, hosted, loaded, operands, own_choice, recast, stepped
from devfix.observation.entered import Entered, dtypes_made
from devfix.observation.mirror import mirrored
from devfix.observation.observed_facts import ObservedFacts, Scope, names_seen
from devfix.observation.pointing import Locate, Pointer
from devfix.observation.record import ObservedMismatch, ObservedOperand
from devfix.observation.sighting import Sighting, sighted
from devfix.observation.translation import translated
from devfix.project import Program
from devfix.selection import Selection

_WITNESS = "seen in a run"
#: More mismatches are not looked at at once: what mends these may mend the others.
_MOST = 50


@dataclass(frozen=True, slots=True)
class Sign:
    """What a mismatch is known by from one run to the next: its line in the text before a change, and who is to blame."""

    kind: str
    operation: str
    path: str
    line: int
    blamed: str


@dataclass(frozen=True, slots=True)
class Remedy:
    """One observed mismatch, what a rule says of it, and the fixes that are wanted, the preferred one first."""

    sign: Sign
    finding: Finding
    fixes: tuple[Fix, ...]

    def with_fix(self, number: int) -> Finding:
        """The finding as mended by one of its fixes."""
        return replace(self.finding, fix=self.fixes[number], alternatives=())


class Prescriber:
    """Finds remedies for what runs of one program show."""

    def __init__(self, program: Program, selection: Selection, locate: Locate) -> None:
        self.program = program
        self.selection = selection.without_advice()
        self._recorder = Recorder()
        run_program(program, self._recorder)
        self.pointer = Pointer(Facts(program, self._recorder), locate)
        self._entered: Entered = {}

    def remedies(self, observed: Sequence[ObservedMismatch], wanted: Applicability) -> list[Remedy]:
        """The remedies with a fix that is wanted."""
        return [remedy for remedy in self.all(observed, wanted) if remedy.fixes]

    def all(self, observed: Sequence[ObservedMismatch], wanted: Applicability) -> list[Remedy]:
        """What the rules say of each mismatch that is in the program."""
        names = names_seen(observed, self.pointer)
        self._entered = dtypes_made(observed, self.pointer)
        aside = set(self._findings([], names))
        found = []
        for one in observed[:_MOST]:
            spot = self.pointer.spot(one.sink)
            for part in parted(one):
                sign = sign_of(part, spot.path if spot else "", one.sink.line if one.sink else 0)
                more = self._otherwise(part, names, wanted)
                for mismatch in translated(part, self.pointer):
                    for finding in self._findings([mismatch], names):
                        if finding not in aside:
                            fixes: dict[tuple[FileEdit, ...], Fix] = {}
                            for fix in (*_fixes(finding, wanted), *more):
                                fixes.setdefault(fix.edits, fix)
                            found.append(Remedy(sign, _witnessed(finding, one), tuple(fixes.values())))
        return found

    def _otherwise(
        self, part: ObservedMismatch, names: Mapping[tuple[str, str], Scope], wanted: Applicability
    ) -> list[Fix]:
        """Fixes of a mismatch in other lights, for when what the rules propose first does not do."""
        sighting = sighted(part, self.pointer)
        if sighting is None:
            return []
        if part.kind == "worker":
            return [fix for m in loaded.otherwise(sighting) for fix in self._proposed([m], names, wanted)]
        if part.kind != "device":
            return [
                fix
                for mismatch in operands.translated(sighting)
                for fix in _told(hosted.fixes(self.pointer.facts, mismatch), wanted)
            ] + [*self._cast_otherwise(sighting, names, wanted)]
        in_place = _told(beside.written(sighting), wanted)
        of_optimizer = stepped.translated(sighting) if part.history else []
        found = [*in_place, *(fix for m in of_optimizer for fix in self._proposed([m], names, wanted))]
        for mismatch in operands.translated(sighting):
            facts = self._facts([mismatch], names)
            found += _told(carried.fixes(facts, sighting, mismatch), wanted)
        found += [fix for m in operands.otherwise(sighting) for fix in self._proposed([m], names, wanted)]
        found += _told(beside.fixes(sighting), wanted)
        for mismatch in operands.translated(sighting):
            found += _told(own_choice.fixes(self.pointer.facts, mismatch.operands[0]), wanted)
        found += _told(called.fixes(self.pointer.facts, sighting), wanted)
        # Last of all what is on the accelerator comes to what is not: it was meant to be there.
        mirror = mirrored(part)
        if mirror is not None:
            seen = names_seen([mirror], self.pointer)
            found += [
                fix for m in translated(mirror, self.pointer) for fix in self._proposed([m], seen, wanted)
            ]
        return found

    def _cast_otherwise(
        self, sighting: Sighting, names: Mapping[tuple[str, str], Scope], wanted: Applicability
    ) -> Iterator[Fix]:
        for mismatch in operands.translated(sighting):
            if mismatch.kind == "index-dtype":
                yield from map(_as_mask, self._proposed([mismatch], names, wanted))
            yield from _told(recast.fixes(self.pointer.facts, mismatch), wanted)

    def _proposed(
        self, mismatches: list[Mismatch], names: Mapping[tuple[str, str], Scope], wanted: Applicability
    ) -> list[Fix]:
        return [fix for finding in self._findings(mismatches, names) for fix in _fixes(finding, wanted)]

    def _findings(
        self, mismatches: list[Mismatch], names: Mapping[tuple[str, str], Scope]
    ) -> tuple[Finding, ...]:
        facts = self._facts(mismatches, names)
        return judge(self.program, self.selection, lambda _program: facts).findings

    def _facts(self, mismatches: list[Mismatch], names: Mapping[tuple[str, str], Scope]) -> ObservedFacts:
        outline = self.pointer.facts.outline
        return ObservedFacts(self.program, self._recorder, mismatches, names, outline, self._entered)


def _as_mask(fix: Fix) -> Fix:
    """The same fix of an index that was meant as a mask."""
    edits = tuple(
        replace(each, edit=replace(each.edit, suffix=".bool()"))
        if isinstance(each.edit, WrapExpression) and each.edit.suffix == ".long()"
        else each
        for each in fix.edits
    )
    return replace(fix, edits=edits)


def _fixes(finding: Finding, wanted: Applicability) -> tuple[Fix, ...]:
    return _told(() if finding.fix is None else (finding.fix, *finding.alternatives), wanted)


def _told(fixes: Iterable[Fix], wanted: Applicability) -> tuple[Fix, ...]:
    """The fixes that are wanted; their titles say who the witness was."""
    return tuple(
        replace(fix, title=f"{fix.title} ({_WITNESS})") for fix in fixes if fix.applicability >= wanted
    )


def _witnessed(finding: Finding, one: ObservedMismatch) -> Finding:
    times = "once" if one.count == 1 else f"{one.count} times"
    return replace(finding, notes=(*finding.notes, Note(finding.path, finding.span, f"{_WITNESS}, {times}")))


def parted(one: ObservedMismatch) -> list[ObservedMismatch]:
    """The mismatch once for each tensor to blame, the parameters of a module being one."""
    groups: dict[str, list[ObservedOperand]] = {}
    for operand in one.operands:
        if operand.blamed:
            groups.setdefault(_known_by(operand), []).append(operand)
    if one.kind not in ("device", "no-leaf") or len(groups) < 2:
        return [one]
    others = tuple(operand for operand in one.operands if not operand.blamed)
    return [replace(one, operands=(*group, *others)) for group in groups.values()]


def sign_of(one: ObservedMismatch, path: str, line: int) -> Sign:
    """What a mismatch with one tensor to blame is known by."""
    blamed = next((operand for operand in one.operands if operand.blamed), None)
    return Sign(one.kind, one.operation, path, line, _known_by(blamed) if blamed is not None else "")


def _known_by(operand: ObservedOperand) -> str:
    if operand.owners:
        return "module"
    if operand.paths:
        return operand.paths[0]
    place = operand.made.place if operand.made is not None else None
    return f"{place.text}:{place.column}" if place is not None else operand.role
