"""Repair: runs a program, mends what the runs show, and runs it again until it runs through.

What the analysis can mend goes first, since it knows every path; what is left, the runs have to show.
A program in which no run shows anything is not touched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from devfix.engine import Engine
from devfix.file_report import Skipped
from devfix.findings import Applicability
from devfix.observation.insisting import Insisting, hides
from devfix.observation.pruning import pruned
from devfix.observation.search import Mended, Search, State
from devfix.observation.trial import Stage, Trial
from devfix.project import Program
from devfix.source import check_syntax
from devfix.tidying import tidied

Plan = Callable[[State], State]


@dataclass(frozen=True)
class Repair:
    """What became of a program.

    ``verdict``: ``clean`` (nothing was wrong), ``fixed``, ``still-fails`` (though perhaps later), ``cannot-run``.
    ``last`` is the strict run at the end. ``is_late``: the time was up before everything was tried.
    """

    verdict: str
    start: State
    end: State
    last: Trial
    reason: str = ""
    is_late: bool = False


@dataclass
class Repairer:
    """Repairs one program with fixes that are at least ``wanted``; ``analysed``: those of the analysis go first.

    When ``is_late`` says so nothing more is tried, and what was found is proven.
    """

    engine: Engine
    stage: Stage
    wanted: Applicability = Applicability.UNSAFE
    analysed: bool = True
    is_late: Callable[[], bool] = lambda: False

    def repair(self, program: Program, first: Trial) -> Repair:
        """Mend the program, whose ``first`` healed run is known, and run it again until it runs through."""
        if hides(first) and not self.is_late():
            insisting = Insisting(self.stage)
            seen = insisting.run(State(program, first).texts, "heal")
            if seen.record is not None and seen.record.mismatches:
                return replace(self, stage=insisting).repair(program, seen)
        start = State(program, first)
        if first.record is None:
            return Repair("cannot-run", start, start, first, first.problem)
        if first.is_clean:
            # A program may say by its status alone that it failed: that its options are wrong, for example.
            verdict = "cannot-run" if first.outcome.how == "exited" and first.outcome.status else "clean"
            return Repair(verdict, start, start, first, first.reason)
        found: list[Repair] = []
        for plan in self._plans():
            found.append(self._concluded(start, plan(start)))
            if found[-1].verdict == "fixed" or self.is_late():
                break
        best = min(found, key=lambda each: (each.verdict != "fixed", each.end.trial.faults))
        return replace(best, is_late=best.verdict != "fixed" and self.is_late())

    def _plans(self) -> list[Plan]:
        """Ways to go about it, the best first."""
        if not self.analysed:
            return [self._observed]
        return [lambda start: self._observed(self._analysed(start)), self._observed]

    def _concluded(self, start: State, end: State) -> Repair:
        if end.program is start.program:
            # Without a mismatch the program fails for reasons of its own.
            observed = start.trial.record is not None and start.trial.record.mismatches
            verdict = "still-fails" if observed else "cannot-run"
            return Repair(verdict, start, start, start.trial, start.trial.reason)
        last = self.stage.run(end.texts, "strict")
        verdict = "fixed" if last.ends_as_well_as(start.trial) else "still-fails"
        return Repair(verdict, start, end, last, last.reason)

    def _analysed(self, state: State) -> State:
        """The state after the fixes of the analysis: the safe ones, and if need be the others."""
        for wanted in (Applicability.SAFE, Applicability.UNSAFE):
            if not state.trial.is_clean and wanted >= self.wanted:
                state = self._fixed(state, wanted) or state
        return state

    def _fixed(self, state: State, wanted: Applicability) -> State | None:
        reports = self.engine.fix(state.program, wanted)
        texts = {report.path: report.new_text for report in reports if report.new_text is not None}
        mended = [Mended(finding, "analysis") for report in reports for finding in report.fixed]
        return state.after(self.stage, texts, mended) if texts else None

    def _observed(self, state: State) -> State:
        """The state after what the runs show is mended, with no more changes than it takes."""
        search = Search(self.engine, self.stage, self.wanted, is_late=self.is_late)
        return self._tidied(state, pruned(state, search.run(state), self.stage, self.is_late))

    def _tidied(self, before: State, after: State) -> State:
        """The state with the changes of several runs as one would have written them at once, if it runs as well."""
        if after.program is before.program or not after.trial.is_clean or self.is_late():
            return after
        idle = self.engine.judge(after.program).idle
        texts = tidied(before.program.sources, after.program.sources, idle)
        program = after.program.with_texts(texts)
        if not texts or any(isinstance(check_syntax(program.sources[path]), Skipped) for path in texts):
            return after
        tried = after.after(self.stage, texts, ())
        return tried if tried.trial.is_clean and tried.trial.ends_as_well_as(after.trial) else after
