"""Inquiry: what the user wants to have proven, and how; from there to the proofs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from devfix.engine import Engine
from devfix.findings import Applicability
from devfix.proof.case import Case, Version, find_cases, held_against
from devfix.proof.comparison import LOOSE
from devfix.proof.laboratory import Laboratory
from devfix.proof.printed import Tolerance
from devfix.proof.progress import Progress
from devfix.proof.prover import Prover
from devfix.proof.rewriting import Rewriting, rewrite
from devfix.proof.run import Run
from devfix.proof.subject import Subject, SubjectError, files_of, folder_subjects, script_subject
from devfix.proof.trial import Trial
from devfix.proof.verdict import Changes, Proof, Verdict
from devfix.proof.witness import Witness, find_witness
from devfix.sandbox.limits import GIB, MIB, Limits, not_enforced
from devfix.sandbox.supervision import strongest_isolation


@dataclass(frozen=True, slots=True)
class Wishes:
    """How to prove. Sizes are in GiB; ``memory`` 0 stands for most of the machine's."""

    on: str = "auto"
    python: str | None = None
    seconds: float = 300.0
    memory: float = 0.0
    processes: int = 256
    max_copy: float = 1.0
    steps: int | None = None
    network: bool = False
    on_cpu: bool = True
    tolerance: float | None = None
    jobs: int = 1

    def laboratory(self, folder: Path) -> Laboratory:
        """Where programs are run; raises WitnessError."""
        witness = find_witness(self.on, self.python, folder)
        limits = Limits(seconds=self.seconds, memory=round(self.memory * GIB), processes=self.processes)
        return Laboratory(witness, limits, round(self.max_copy * GIB), self.network, self.steps)

    @property
    def accepted(self) -> Tolerance:
        """How far numbers may be apart where they need not be the same."""
        return LOOSE if self.tolerance is None else Tolerance(self.tolerance, self.tolerance / 20)


@dataclass(frozen=True)
class Inquiry:
    """The programs, or the cases, of one call, and the rewriting they are tried with."""

    laboratory: Laboratory
    wishes: Wishes
    engine: Engine
    wanted: Applicability

    def of_cases(self, cases: Sequence[Case]) -> list[Proof]:
        """Prove cases, each with the program that is kept as its ``after``."""

        def trial(case: Case) -> Trial:
            return self._trial(case.before, case.after, lambda _before: Changes(safe=case.safe))

        trials = [trial(case) for case in cases]
        proofs = self._run(trials, [case.name for case in cases])
        named = [replace(proof, program=case.name) for case, proof in zip(cases, proofs, strict=True)]
        return [held_against(case, proof) for case, proof in zip(cases, named, strict=True)]

    def of_programs(self, subjects: Sequence[Subject], rewriting: Rewriting) -> list[Proof]:
        """Prove programs with what was rewritten of them."""
        trials = [self._of_program(subject, rewriting) for subject in subjects]
        proofs = self._run(trials, [subject.name for subject in subjects])
        return [_advised(proof, subject, rewriting) for proof, subject in zip(proofs, subjects, strict=True)]

    def _of_program(self, subject: Subject, rewriting: Rewriting) -> Trial:
        texts, named = rewriting.within(subject.root), files_of(subject)

        def changes(before: Run) -> Changes | None:
            found = rewriting.changes([*named, *before.modules])
            return found if found.files else None

        return self._trial(Version(subject), Version(subject, texts) if texts else None, changes)

    def _trial(
        self, before: Version, after: Version | None, changes: Callable[[Run], Changes | None]
    ) -> Trial:
        wishes = self.wishes
        return Trial(self.laboratory, before, after, changes, wishes.accepted, wishes.on_cpu)

    def _run(self, trials: Sequence[Trial], names: Sequence[str]) -> list[Proof]:
        progress = Progress(len(trials), sys.stderr)

        def prove(work: tuple[Trial, str]) -> Proof:
            trial, name = work
            trial.tell = lambda stage: progress.tell(name, stage)
            proof = trial.proof()
            progress.done()
            return proof

        try:
            return list(Prover(self.wishes.jobs).run(prove, list(zip(trials, names, strict=True))))
        finally:
            progress.clear()


def _advised(proof: Proof, subject: Subject, rewriting: Rewriting) -> Proof:
    """The proof; of a program that still fails with a note where unsafe fixes were not tried."""
    if proof.verdict is not Verdict.STILL_FAILS:
        return proof
    ran = {file for _, run in proof.runs for file in run.modules}
    number = rewriting.left_out({*files_of(subject), *ran})
    if not number:
        return proof
    fixes = "1 unsafe fix was" if number == 1 else f"{number} unsafe fixes were"
    return replace(proof, notes=(*proof.notes, f"{fixes} not tried; add --unsafe"))


def inquire(
    target: Path, arguments: Sequence[str], wishes: Wishes, engine: Engine, wanted: Applicability
) -> tuple[list[Proof], Witness, list[str]]:
    """The proofs of a script, a folder or a corpus, what they were run on, and the files that could not be read.

    Raises SubjectError and WitnessError.
    """
    cases = find_cases(target) if target.is_dir() else []
    subjects = [] if cases else find_subjects(target, arguments, engine)
    laboratory = wishes.laboratory(subjects[0].root if subjects else target)
    announce(len(cases or subjects), laboratory)
    inquiry = Inquiry(laboratory, wishes, engine, wanted)
    if cases:
        return inquiry.of_cases(cases), laboratory.witness, []
    files = [target] if target.is_dir() else files_of(subjects[0])
    rewriting = rewrite(files, engine, wanted, None)
    return inquiry.of_programs(subjects, rewriting), laboratory.witness, rewriting.faults()


def find_subjects(target: Path, arguments: Sequence[str], engine: Engine) -> list[Subject]:
    """The programs that a path stands for; raises SubjectError when there is none."""
    if not target.is_dir():
        return [script_subject(target, arguments, Path.cwd())]
    found = folder_subjects(target, arguments, engine.of_files)
    if not found:
        raise SubjectError(f"{target} holds no program that uses torch")
    return found


def announce(count: int, laboratory: Laboratory) -> None:
    """Say on standard error that code is about to be run, on what, and within which limits."""
    witness, limits, isolation = laboratory.witness, laboratory.limits, strongest_isolation()
    on = witness.gpu or f"the simulator{f' ({witness.note})' if witness.note else ''}"
    network = (
        "network on" if laboratory.network else "network off" if isolation.network else "network not cut off"
    )
    programs = f"{count} program{'s' * (count != 1)}, each in a copy of its folder"
    bounds = f"{limits.seconds:g} s, {limits.memory // MIB} MiB, {limits.processes} processes"
    lines = [
        f"devfix runs your code: {programs}, with {witness.python} (torch {witness.torch}) on {on}",
        f"limits of each run: {bounds}; {network}",
    ]
    if not isolation.files:
        lines.append("files outside of the copy are not protected: this system grants no namespaces")
    if not_enforced():
        lines.append(f"not enforced on this system: {', '.join(not_enforced())}")
    sys.stderr.write("".join(f"{line}\n" for line in lines))
    sys.stderr.flush()


def exit_code(proofs: Sequence[Proof], faults: Sequence[str]) -> int:
    """0 when everything is proven, 1 when something is not, 2 when a file could not be looked at."""
    if faults:
        return 2
    return int(not all(proof.proven for proof in proofs))
