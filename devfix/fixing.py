"""Fixing: applying fixes until none is left, without making anything worse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from devfix.batch import ApplyEdits, choose, texts_after
from devfix.findings import Applicability, Finding, Note, Skipped
from devfix.judgement import Judgement, UnusedSuppression
from devfix.project import Program
from devfix.selection import ADOPTING_RULE, Selection
from devfix.source import check_syntax

#: Rounds of fixing after which fixes are taken to feed on each other.
MAX_PASSES = 10


class NotConvergingError(Exception):
    """Fixes keep making work for each other; ``paths`` are the files they change."""

    def __init__(self, paths: frozenset[str]) -> None:
        super().__init__(f"fixes still change {', '.join(sorted(paths))} after {MAX_PASSES} passes")
        self.paths = paths


@dataclass(frozen=True)
class State:
    """A program somewhere between its first and its last text, and what the rules say of it."""

    program: Program
    judgement: Judgement
    fixed: tuple[Finding, ...] = ()


@dataclass
class Fixer:
    """Applies the wanted fixes of one program.

    First all fixes are applied freely, since a fault that hid others may well show new ones that
    the next pass fixes. Only when the end is worse than the start does each step have to prove
    itself, and the fixes that do damage are withheld.
    """

    judge: Callable[[Program], Judgement]
    apply_edits: ApplyEdits
    edit_error: type[Exception]
    selection: Selection
    wanted: Applicability
    _withheld: set[tuple[str, ...]] = field(default_factory=set)

    def run(self, start: State) -> State:
        """The state in which no wanted fix is left; raises NotConvergingError."""
        end = self._settle(start, lambda _before, _after: True)
        if self._is_worse(start.judgement, end.judgement):
            self._withheld.clear()
            end = self._settle(start, lambda before, after: not self._is_worse(before, after))
        return replace(end, judgement=self._with_notes(end))

    def _settle(self, state: State, accepts: Callable[[Judgement, Judgement], bool]) -> State:
        passes, steps = 0, 0
        patience = 4 * len(state.judgement.findings) + MAX_PASSES
        while batch := choose(self._candidates(state)):
            if passes >= MAX_PASSES or steps >= patience:
                raise NotConvergingError(_touched(state.fixed))
            after, size = self._step(state, batch, accepts)
            passes += size == len(batch)
            steps += 1
            state = after
        return state

    def _step(
        self, state: State, batch: list[Finding], accepts: Callable[[Judgement, Judgement], bool]
    ) -> tuple[State, int]:
        """The state after as much of ``batch`` as does no damage, and how much that was.

        The batch is halved until it is accepted; a single fix that is not is withheld for good.
        """
        while True:
            after = self._attempt(state, batch)
            if after is not None and accepts(state.judgement, after.judgement):
                return after, len(batch)
            if len(batch) == 1:
                self._withheld.add(_identity(state.program, batch[0]))
                return state, 0
            batch = batch[: len(batch) // 2]

    def _attempt(self, state: State, batch: list[Finding]) -> State | None:
        """The state after ``batch``, or None when it breaks a file or changes nothing."""
        try:
            texts = texts_after(state.program, batch, self.apply_edits)
        except self.edit_error:
            return None
        program = state.program.with_texts(texts)
        changed = [path for path in texts if program.sources[path] is not state.program.sources[path]]
        if not changed or any(isinstance(check_syntax(program.sources[path]), Skipped) for path in changed):
            return None
        return State(program, self.judge(program), (*state.fixed, *batch))

    def _candidates(self, state: State) -> Iterator[Finding]:
        for finding in state.judgement.findings:
            if self._wants(finding) and _identity(state.program, finding) not in self._withheld:
                yield finding

    def _wants(self, finding: Finding) -> bool:
        if finding.fix is None:
            return False
        adopts = finding.code == ADOPTING_RULE and finding.fix.applicability > Applicability.DISPLAY
        return adopts or finding.fix.applicability >= self.wanted

    def _is_worse(self, before: Judgement, after: Judgement) -> bool:
        """Whether a rule has more findings than before; advice does not count."""
        advice = {rule.code for rule in self.selection.rules if rule.applicability == Applicability.DISPLAY}
        advice.add(UnusedSuppression.code)
        return bool(after.counts(advice) - before.counts(advice))

    def _with_notes(self, state: State) -> Judgement:
        findings = tuple(
            _withhold(finding) if _identity(state.program, finding) in self._withheld else finding
            for finding in state.judgement.findings
        )
        return replace(state.judgement, findings=findings)


def _withhold(finding: Finding) -> Finding:
    """The finding with its fix for show only."""
    if finding.fix is None:
        return finding
    text = "the fix is withheld: it would break the file or cause other findings"
    note = Note(finding.path, finding.span, text)
    shown = replace(finding.fix, applicability=Applicability.DISPLAY)
    return replace(finding, fix=shown, notes=(*finding.notes, note))


def _identity(program: Program, finding: Finding) -> tuple[str, ...]:
    """What makes a finding the same one after lines have moved."""
    title = finding.fix.title if finding.fix else ""
    text = program.sources[finding.path].segment(finding.span)
    return (finding.path, finding.code, finding.message, title, text)


def _touched(findings: tuple[Finding, ...]) -> frozenset[str]:
    return frozenset(edit.path for finding in findings if finding.fix for edit in finding.fix.edits)
