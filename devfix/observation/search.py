"""Search: mends what runs show, pass after pass, and tries other ways where the first does not lead to the end."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from devfix.batch import choose, texts_after
from devfix.differences import lines_before
from devfix.engine import Engine
from devfix.file_report import Skipped
from devfix.findings import Applicability, FileEdit, Finding, WrapExpression
from devfix.observation.remedies import Prescriber, Remedy, Sign, parted, sign_of
from devfix.observation.trial import Stage, Trial
from devfix.project import Program
from devfix.rewrite import EditError, apply_edits
from devfix.source import check_syntax

#: Which fix of each mismatch is to be tried; the first unless something else is said.
Choices = Mapping[Sign, int]
Batch = list[tuple[Remedy, Finding]]


@dataclass(frozen=True, slots=True)
class Mended:
    """A finding that was fixed, and who found it: the ``analysis`` or a ``run``."""

    finding: Finding
    witness: str


@dataclass(frozen=True)
class State:
    """The program somewhere on its way, how it runs in that state, and what was done to get there."""

    program: Program
    trial: Trial
    mended: tuple[Mended, ...] = ()

    @property
    def texts(self) -> dict[str, str]:
        """The texts of all files."""
        return {path: source.text for path, source in self.program.sources.items()}

    def after(self, stage: Stage, texts: Mapping[str, str], mended: Iterable[Mended]) -> State:
        """The state with other texts, and how the program runs with them."""
        changed = State(self.program.with_texts(texts), self.trial, (*self.mended, *mended))
        return replace(changed, trial=stage.run(changed.texts, "heal"))


@dataclass
class Search:
    """Looks for a state in which the program runs through.

    ``budget`` is the number of runs it may take, and ``is_late`` tells when it has taken long enough.
    """

    engine: Engine
    stage: Stage
    wanted: Applicability = Applicability.UNSAFE
    budget: int = 24
    is_late: Callable[[], bool] = lambda: False

    @property
    def _goes_on(self) -> bool:
        return self.budget > 0 and not self.is_late()

    def run(self, state: State, depth: int = 0) -> State:
        """The best state that can be reached from one."""
        best = state
        if depth > _MOST_PASSES or state.trial.is_clean or state.trial.record is None:
            return best
        for after in self._steps(state):
            end = self.run(after, depth + 1)
            if end.trial.faults < best.trial.faults:
                best = end
            if best.trial.is_clean or not self._goes_on:
                break
        return best

    def _steps(self, state: State) -> Iterator[State]:
        """States in which what the last run showed is mended, one way after the other."""
        assert state.trial.record is not None  # noqa: S101 - asked by the caller
        prescriber = Prescriber(state.program, self.engine.selection, self.stage.locate)
        remedies = prescriber.remedies(state.trial.record.mismatches, self.wanted)
        choices = yield from self._settled(state, remedies, {})
        # What was mended has led nowhere, or to new faults: another fix of one of them may not.
        for remedy in remedies:
            number = choices.get(remedy.sign, 0) + 1
            if number < len(remedy.fixes) and self._goes_on:
                yield from self._settled(state, remedies, {**choices, remedy.sign: number})

    def _settled(
        self, state: State, remedies: list[Remedy], choices: Choices
    ) -> Generator[State, None, Choices]:
        """One state, in which every fix that was made has helped; the choices that led there are returned."""
        found = dict(choices)
        size = len(remedies)
        while self._goes_on:
            batch = self._batch(state, remedies, found)[:size]
            if not batch:
                break
            after = self._attempt(state, batch)
            failed = batch if after is None else self._failed(state, after, batch)
            if after is not None and not failed:
                after, found = self._better(state, remedies, found, after)
                yield after
                break
            if len(failed) == len(batch) > 1:
                # Some of them may do well without the others.
                size = len(batch) // 2
                continue
            for remedy, _ in failed:
                found[remedy.sign] = found.get(remedy.sign, 0) + 1
        return found

    def _better(
        self, state: State, remedies: list[Remedy], choices: dict[Sign, int], after: State
    ) -> tuple[State, dict[Sign, int]]:
        """A state with fewer mismatches, where the first way to it has brought mismatches that were not there."""
        known = self._counted(state.program, state)
        for remedy in remedies[:_MOST_OTHERS]:
            if not self._goes_on or self._counted(state.program, after).keys() <= known.keys():
                break
            used = _fix_of(remedy, choices)
            alike = [each for each in remedies if used is not None and _fix_of(each, choices) == used]
            others = {**choices, **{each.sign: choices.get(each.sign, 0) + 1 for each in alike}}
            if not alike or any(_fix_of(each, others) is None for each in alike):
                continue
            batch = self._batch(state, remedies, others)
            tried = self._attempt(state, batch)
            helps = (
                tried is not None and tried.trial.record is not None and not self._failed(state, tried, batch)
            )
            if tried is not None and helps and tried.trial.faults < after.trial.faults:
                after, choices = tried, others
        return after, choices

    def _batch(self, state: State, remedies: list[Remedy], choices: Choices) -> Batch:
        """Remedies whose fixes fit together, each with the fix whose turn it is."""
        pairs = {
            remedy.with_fix(choices.get(remedy.sign, 0)): remedy
            for remedy in remedies
            if choices.get(remedy.sign, 0) < len(remedy.fixes)
        }
        pairs = {finding: remedy for finding, remedy in pairs.items() if not _is_idle(state.program, finding)}
        return [(pairs[finding], finding) for finding in choose(pairs)]

    def _attempt(self, state: State, batch: Batch) -> State | None:
        """The state after a batch, or None when it breaks a file or changes nothing."""
        try:
            texts = texts_after(state.program, [finding for _, finding in batch], apply_edits)
        except EditError:
            return None
        program = state.program.with_texts(texts)
        changed = [path for path in texts if program.sources[path] is not state.program.sources[path]]
        if not changed or any(isinstance(check_syntax(program.sources[path]), Skipped) for path in changed):
            return None
        self.budget -= 1
        return state.after(self.stage, texts, [Mended(finding, "run") for _, finding in batch])

    def _failed(self, state: State, after: State, batch: Batch) -> Batch:
        """The remedies of a batch that did not help: their mismatch is seen as often as before, or the program broke."""
        was_well, trial = state.trial.is_well, after.trial
        if trial.record is None or (was_well and not trial.ends_as_well_as(state.trial)):
            return batch
        before = self._counted(state.program, state)
        left = self._counted(state.program, after)
        # The same line may be reached in several ways, of which one is mended at a time.
        return [
            (remedy, finding)
            for remedy, finding in batch
            if left.get(remedy.sign, 0) and left[remedy.sign] >= before.get(remedy.sign, 0)
        ]

    def _counted(self, before: Program, state: State) -> dict[Sign, int]:
        """How often each mismatch is seen in a state, by its lines before the change that led there."""
        assert state.trial.record is not None  # noqa: S101 - asked by the callers
        found: dict[Sign, int] = {}
        for one in state.trial.record.mismatches:
            path = self.stage.locate(one.sink.file) if one.sink is not None else None
            if one.sink is None or path is None or path not in before.sources:
                continue
            lines = lines_before(before.sources[path].lines, state.program.sources[path].lines)
            line = lines[one.sink.line - 1] if one.sink.line <= len(lines) else 0
            for part in parted(one):
                sign = sign_of(part, path, line)
                found[sign] = found.get(sign, 0) + one.count
        return found


def _fix_of(remedy: Remedy, choices: Choices) -> tuple[FileEdit, ...] | None:
    """The edits of the fix of a mismatch whose turn it is; None when none is left."""
    number = choices.get(remedy.sign, 0)
    return remedy.fixes[number].edits if number < len(remedy.fixes) else None


_MOST_PASSES = 8
#: Of so many mismatches another fix is tried at once where the first ones bring new mismatches.
_MOST_OTHERS = 3


def _is_idle(program: Program, finding: Finding) -> bool:
    """Whether a fix would only do again what stands there already."""
    edits = finding.fix.edits if finding.fix is not None else ()
    return bool(edits) and all(
        isinstance(each.edit, WrapExpression)
        and program.sources[each.path].segment(each.edit.span).endswith(each.edit.suffix)
        for each in edits
    )
