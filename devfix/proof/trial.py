"""Trial: the runs of one program, in the order in which they are needed, and the verdict that follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from devfix.proof.case import Version
from devfix.proof.comparison import EXACT, LOOSE, Comparison, compare
from devfix.proof.laboratory import CannotRunError, Laboratory
from devfix.proof.printed import Tolerance
from devfix.proof.run import Run
from devfix.proof.verdict import Changes, Proof, Stage, Verdict


@dataclass
class Trial:
    """One program before and after the changes; without an ``after`` there are none.

    ``changes`` tells, from the run before, what of them concerns the program, or that nothing does.
    ``tell`` hears what is being run. What a safe fix promises is checked on the plain CPU, before against
    after; what the witness computes is checked against the CPU.
    """

    laboratory: Laboratory
    before: Version
    after: Version | None
    changes: Callable[[Run], Changes | None]
    tolerance: Tolerance = LOOSE
    on_cpu: bool = True
    tell: Callable[[str], None] = lambda _stage: None
    _proof: Proof = field(init=False)

    def proof(self) -> Proof:
        """Run what has to be run, and judge."""
        self._proof = Proof(self.before.subject.name, Verdict.CANNOT_RUN)
        try:
            verdict, reason = self._judge()
        except CannotRunError as error:
            verdict, reason = Verdict.CANNOT_RUN, str(error)
        return replace(self._proof, verdict=verdict, reason=reason)

    def _judge(self) -> tuple[Verdict, str]:
        before = self._run(Stage.BEFORE)
        if before.hit_limit:
            return Verdict.CANNOT_RUN, _because(before)
        changes = None if self.after is None else self.changes(before)
        if changes is None:
            return (Verdict.WAS_FINE, "") if before.finished else self._unfixed(before)
        self._proof = replace(self._proof, changes=changes)
        after = self._run(Stage.AFTER)
        if after.hit_limit:
            return Verdict.CANNOT_RUN, f"as rewritten it {after.failure}"
        if after.finished:
            return self._compared(before, after)
        if before.finished:
            return Verdict.CHANGED_RESULT, f"it ran before, and as rewritten fails: {after.failure}"
        return self._unfixed(after)

    def _unfixed(self, last: Run) -> tuple[Verdict, str]:
        """The verdict on a program that fails to the last: for its devices, or for reasons of its own."""
        if last.is_mismatch:
            return Verdict.STILL_FAILS, str(last.failure)
        if last.failure is not None and last.failure.missing:
            return Verdict.CANNOT_RUN, _because(last)
        on_cpu = self._run(Stage.BEFORE_ON_CPU)
        if on_cpu.finished:
            return Verdict.STILL_FAILS, str(last.failure)
        return Verdict.CANNOT_RUN, _because(last)

    def _compared(self, before: Run, after: Run) -> tuple[Verdict, str]:
        verdict = Verdict.WAS_FINE if before.finished else Verdict.FIXED
        if not self.on_cpu:
            return verdict, ""
        reference = self._run(Stage.REFERENCE)
        on_cpu = self._run(Stage.BEFORE_ON_CPU)
        if on_cpu.finished and not reference.finished:
            return (
                Verdict.CHANGED_RESULT,
                f"on the CPU it ran before, and as rewritten fails: {reference.failure}",
            )
        trouble = self._against_reference(after, reference) or self._promise(on_cpu, reference)
        if trouble is not None:
            return Verdict.CHANGED_RESULT, trouble
        if not any(each.by for each in self._proof.comparisons):
            self._note(
                "nothing to compare: it prints no numbers and trains no parameters, so it is only known to run"
            )
        return verdict, ""

    def _against_reference(self, after: Run, reference: Run) -> str | None:
        """What the witness computes has to be what the CPU computes."""
        if not reference.finished:
            self._note(f"no reference: on the CPU it {reference.failure}")
            return None
        real = self.laboratory.witness.is_real
        found = self._compare("after and CPU reference", after, reference, self.tolerance if real else EXACT)
        if real and not found.same and after.drew_on_device:
            self._note(
                f"no reference: random numbers drawn on the GPU are its own ({'; '.join(found.differences)})"
            )
            return None
        return self._trouble(found, reference)

    def _promise(self, on_cpu: Run, reference: Run) -> str | None:
        """Safe fixes leave the program as it is on a machine without an accelerator."""
        if not on_cpu.finished or not reference.finished:
            return None
        tolerance = EXACT if self._proof.changes.safe else self.tolerance
        found = self._compare("before and after on the CPU", on_cpu, reference, tolerance)
        return self._trouble(found, reference)

    def _trouble(self, found: Comparison, reference: Run) -> str | None:
        """What differs, unless the program differs from itself as much."""
        if found.same:
            return None
        again = self._repeat()
        tolerance = EXACT if self._proof.changes.safe else self.tolerance
        if again.finished and compare("", reference, again, tolerance).same:
            return f"{found.what} differ in {found.by}: {'; '.join(found.differences)}"
        self._note("its result changes from run to run, so it cannot be compared; does it set a seed?")
        return None

    def _compare(self, what: str, first: Run, second: Run, tolerance: Tolerance) -> Comparison:
        found = compare(what, first, second, tolerance)
        self._proof = replace(self._proof, comparisons=(*self._proof.comparisons, found))
        return found

    def _note(self, text: str) -> None:
        if text not in self._proof.notes:
            self._proof = replace(self._proof, notes=(*self._proof.notes, text))

    def _run(self, stage: Stage) -> Run:
        self.tell(stage.value)
        run = self._execute(stage)
        self._proof = replace(self._proof, runs=(*self._proof.runs, (stage, run)))
        return run

    def _repeat(self) -> Run:
        self.tell("reference once more")
        return self._execute(Stage.REFERENCE)

    def _execute(self, stage: Stage) -> Run:
        version = self.after if stage.rewritten and self.after is not None else self.before
        return self.laboratory.run(version.subject, version.texts, on_cpu=stage.on_cpu)


def _because(run: Run) -> str:
    """Why a run proves nothing."""
    if run.failure is None:
        return ""
    missing = f"; {run.failure.missing}" if run.failure.missing else ""
    return f"it {run.failure}{missing}" if run.failure.kind != "error" else f"{run.failure}{missing}"
