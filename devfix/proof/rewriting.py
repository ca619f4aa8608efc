"""Rewriting: what the tool would write, kept in memory until it is proven."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from devfix.baseline.known import Known
from devfix.engine import Engine
from devfix.file_report import FileReport
from devfix.findings import Applicability
from devfix.proof.verdict import Changes
from devfix.report.results import Results
from devfix.runner import Task, run_paths


@dataclass(frozen=True)
class Rewriting:
    """The new bytes of files by where they really lie, and what the tool said on the way."""

    results: Results
    texts: Mapping[Path, bytes] = field(default_factory=dict)

    def within(self, root: Path) -> Mapping[Path, bytes]:
        """The new bytes of the files below a folder."""
        return {path: data for path, data in self.texts.items() if path.is_relative_to(root)}

    def changes(self, files: Iterable[Path]) -> Changes:
        """What would be changed in some files."""
        wanted = {os.path.realpath(file) for file in files}
        reports = [each for each in self.results.changed if os.path.realpath(each.path) in wanted]
        fixed = [finding for report in reports for finding in report.fixed]
        safe = all(finding.fix and finding.fix.applicability == Applicability.SAFE for finding in fixed)
        number = sum(len(report.mended) for report in reports)
        return Changes(tuple(report.path for report in reports), number, safe)

    def left_out(self, files: Iterable[Path]) -> int:
        """How many findings in some files have a fix that is unsafe, and was not wanted."""
        wanted = {os.path.realpath(file) for file in files}
        mine = tuple(each for each in self.results.reports if os.path.realpath(each.path) in wanted)
        return replace(self.results, reports=mine).hidden().total()

    def faults(self) -> list[str]:
        """What devfix could not look at, and why."""
        skipped = [f"{each.path} {each.reason}" for each in self.results.skipped if each.fault]
        return [
            *skipped,
            *(f"devfix crashed on {each.path}: {each.message}" for each in self.results.crashes),
        ]


def rewrite(
    paths: Iterable[Path],
    engine: Engine,
    wanted: Applicability,
    jobs: int | None,
    known: Sequence[Known] = (),
) -> Rewriting:
    """What ``apply`` would make of files and folders, where all that is ``known`` stays as it is."""
    results = run_paths(sorted(set(paths)), engine, Task(wanted, known=tuple(known)), jobs=jobs)
    texts = {Path(os.path.realpath(report.path)): _bytes(results, report) for report in results.changed}
    return Rewriting(results, texts)


def _bytes(results: Results, report: FileReport) -> bytes:
    return results.sources[report.path].encode(report.new_text)
