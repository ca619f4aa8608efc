"""Application: writing fixes only where the programs that use them were proven with them."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from devfix.baseline.wishes import Wishes as BaselineWishes
from devfix.engine import Engine
from devfix.file_report import FileReport
from devfix.findings import Applicability
from devfix.known_findings import known_of, without_known
from devfix.proof.inquiry import Inquiry, Wishes, announce, find_subjects
from devfix.proof.rewriting import Rewriting, rewrite
from devfix.proof.subject import Subject, SubjectError, files_of
from devfix.proof.verdict import Proof
from devfix.proof.witness import Witness
from devfix.report.results import Results
from devfix.runner import Task, run_paths
from devfix.writing import places_of, write_reports


@dataclass(frozen=True)
class Application:
    """What became of the files, and the proofs that it rests on; ``held_back`` would change, but is not proven.

    ``said`` tells of findings that are left out since they are known.
    """

    results: Results
    proofs: tuple[Proof, ...]
    witness: Witness
    held_back: tuple[str, ...]
    said: tuple[str, ...] = ()


def apply_proven(
    commands: Sequence[str],
    paths: Sequence[Path],
    wishes: Wishes,
    engine: Engine,
    wanted: Applicability,
    *,
    write: bool,
    baseline: BaselineWishes,
) -> Application:
    """Prove the programs of ``commands``, and write what belongs to proven ones alone.

    Without ``paths`` the files are those of the programs. What is known, by ``baseline`` and the settings, is neither
    fixed nor reported. Raises SubjectError, WitnessError, and ConfigError for a baseline that cannot be read.
    """
    subjects = [subject for command in commands for subject in _subjects(command, engine)]
    reached = [_real(files_of(subject)) for subject in subjects]
    files = list(paths) or [Path(path) for path in sorted(frozenset().union(*reached))]
    known = known_of(baseline, files, engine, None)
    rewriting = rewrite(files, engine, wanted, None, known)
    laboratory = wishes.laboratory(subjects[0].root)
    announce(len(subjects), laboratory)
    proofs = Inquiry(laboratory, wishes, engine, wanted).of_programs(subjects, rewriting)
    used = [files | _ran(proof) for files, proof in zip(reached, proofs, strict=True)]
    proven = _proven(rewriting, used, [proof.proven for proof in proofs])
    places = places_of(paths or [subject.root for subject in subjects]) if write else None
    results, said = without_known(_written(rewriting, proven, engine, places), known, engine)
    held_back = tuple(
        report.path for report in rewriting.results.changed if _where(report.path) not in proven
    )
    return Application(results, tuple(proofs), laboratory.witness, held_back, tuple(said))


def _subjects(command: str, engine: Engine) -> list[Subject]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise SubjectError(f"`{command}` cannot be read as a command: {error}") from error
    if not words:
        raise SubjectError("--prove needs a script")
    return find_subjects(Path(words[0]), words[1:], engine)


def _ran(proof: Proof) -> frozenset[str]:
    """The user's files that the program really imported, also those that no import statement names."""
    return _real(file for _, run in proof.runs for file in run.modules)


def _real(files: Iterable[Path]) -> frozenset[str]:
    return frozenset(os.path.realpath(file) for file in files)


def _where(path: str) -> str:
    return os.path.realpath(path)


def _proven(rewriting: Rewriting, used: Sequence[frozenset[str]], verdicts: Sequence[bool]) -> frozenset[str]:
    """The changed files that may be written.

    A file that two programs use ties them together: the files of both are written, or none.
    """
    changed = frozenset(_where(report.path) for report in rewriting.results.changed)
    mine = [changed & files for files in used]
    refused = frozenset[str]().union(
        *(files for files, proven in zip(mine, verdicts, strict=True) if not proven)
    )
    while grown := [files for files in mine if files & refused and not files <= refused]:
        refused = refused.union(*grown)
    return frozenset[str]().union(*mine) - refused


def _written(
    rewriting: Rewriting, proven: frozenset[str], engine: Engine, places: Sequence[str] | None
) -> Results:
    """Write the proven files that lie in ``places``, where there are any, and report on the others as they are and stay."""
    results = rewriting.results
    chosen = [report for report in results.changed if _where(report.path) in proven]
    if places is not None:
        chosen = write_reports(chosen, results.sources, places)
    done = {report.path: report for report in chosen}
    others = [report.path for report in results.changed if report.path not in done]
    as_they_are = run_paths([Path(path) for path in others], engine, Task()).reports if others else ()
    now: dict[str, FileReport] = {report.path: report for report in as_they_are} | done
    reports = tuple(now.get(report.path, report) for report in results.reports)
    return replace(results, reports=reports, written=places is not None)
