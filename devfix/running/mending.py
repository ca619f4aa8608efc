"""Mending: ``devfix run --fix``, from the program to its new text."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from devfix.config import SettingsOf
from devfix.discovery import PROGRAM_SUFFIXES, exclusion, short_path
from devfix.engine import Engine
from devfix.file_report import FileReport
from devfix.findings import Applicability, Finding
from devfix.observation.record import RunRecord
from devfix.observation.repair import Repair, Repairer
from devfix.project import Program, find_roots, load_project
from devfix.proof.comparison import EXACT, LOOSE, compare
from devfix.proof.subject import Subject, SubjectError, files_of, script_subject
from devfix.report.results import Results, by_path
from devfix.running.cells import in_program
from devfix.running.request import Request
from devfix.running.workshop import Workshop
from devfix.sandbox.limits import Limits
from devfix.writing import write_reports

#: How long one run may take when the user does not say, and how long past that its process may live, in seconds.
SECONDS, _MARGIN = 300.0, 90.0


@dataclass(frozen=True)
class Mending:
    """What became of a program: the repair, the files, and what there is to say of its numbers on the CPU."""

    repair: Repair
    results: Results
    runs: int
    note: str = ""

    @property
    def verdict(self) -> str:
        """``clean``, ``fixed``, ``still-fails``, ``changed-result`` or ``cannot-run``."""
        return self.repair.verdict

    @property
    def exit_code(self) -> int:
        """0 when nothing was wrong or all of it is mended on disk, 1 when something is left, 2 when it cannot be run."""
        if self.verdict == "cannot-run":
            return 2
        left = self.verdict in ("still-fails", "changed-result")
        return int(left or (bool(self.results.changed) and not self.results.written))


def subject_of(request: Request, here: Path) -> Subject:
    """The program of a request; raises SubjectError where there is none that could be rewritten."""
    if request.is_module:
        script = _module_file(request.program, here)
        subject = script_subject(script, request.arguments, here)
        return replace(
            subject, module=request.program, folder=here if _is_below(here, subject) else subject.folder
        )
    path = Path(request.program)
    if path.is_dir():
        path = path / "__main__.py"
    return script_subject(path, request.arguments, here)


def _is_below(here: Path, subject: Subject) -> bool:
    return Path(os.path.realpath(here)).is_relative_to(subject.root)


def _module_file(name: str, here: Path) -> Path:
    base = here.joinpath(*name.split("."))
    for candidate in (base.with_suffix(".py"), base / "__main__.py"):
        if candidate.is_file():
            return candidate
    raise SubjectError(
        f"no module {name} lies below this folder, and only the project's own files are rewritten"
    )


def mend(
    request: Request, python: str, engine: Engine, tell: Callable[[str], None], *, unsafe: bool, write: bool
) -> Mending:
    """Run a program, mend it and run it again; raises SubjectError and RunError.

    What it computes on the CPU may only change where ``unsafe`` fixes are wanted.
    """
    started = time.monotonic()
    subject = subject_of(request, Path.cwd())
    seconds = request.max_seconds or SECONDS
    request = replace(request, max_seconds=seconds, strict=False)
    workshop = Workshop(subject, request, python, Limits(seconds=seconds + _MARGIN), tell=tell)
    first = workshop.run({}, "heal")
    program = _program(subject, first.record, engine)
    end = started + request.max_total_seconds

    def is_late() -> bool:
        return time.monotonic() >= end

    workshop.sources = program.sources
    first = in_program(first, program.sources)
    repair, note = Repairer(engine, workshop, is_late=is_late).repair(program, first), ""
    if repair.end.program is not program and not unsafe:
        note = _changes(workshop, repair)
        if note:
            safe = Repairer(engine, workshop, Applicability.SAFE, is_late=is_late)
            careful = safe.repair(program, first)
            if careful.end.program is program or _changes(workshop, careful):
                repair = replace(repair, verdict="changed-result", end=repair.start)
            else:
                repair = careful
    reports = _reports(repair)
    if write:
        reports = write_reports(reports, program.sources)
    results = Results(by_path(reports), program.sources, Applicability.UNSAFE, applying=True, written=write)
    return Mending(repair, results, workshop.count, note)


def _program(subject: Subject, record: RunRecord | None, engine: Engine) -> Program:
    """The project's own files that the program consists of, also those that no import statement names, or nothing imports."""
    named = {
        short_path(str(file))
        for file in (*files_of(subject), *_executed(record))
        if _is_own(file, subject, engine.of_files)
    }
    roots = find_roots([subject.folder, subject.root, subject.script], engine.settings.src)
    project, _ = load_project(sorted(named), roots, device_policy=engine.device_policy)
    return project.whole()


def _executed(record: RunRecord | None) -> Iterator[Path]:
    """The files that a run imported, and those in which it was seen: ``runpy`` executes one that nothing imports."""
    if record is None:
        return
    yield from (Path(file) for _, file in record.modules)
    for mismatch in record.mismatches:
        made = [each for operand in mismatch.operands for each in (operand.made, *operand.roots)]
        places = (*mismatch.stack, *(each.place for each in made if each is not None))
        yield from (Path(place.file) for place in places if place is not None)


def _is_own(file: Path, subject: Subject, settings: SettingsOf) -> bool:
    real = Path(os.path.realpath(file))
    if file.suffix not in PROGRAM_SUFFIXES or not real.is_relative_to(subject.root) or not real.is_file():
        return False
    parts = real.relative_to(subject.root).parts
    foreign = any(
        part in ("site-packages", "node_modules", "__pycache__") or part.startswith(".") for part in parts
    )
    return not foreign and exclusion(file, settings) is None


def _changes(workshop: Workshop, repair: Repair) -> str:
    """What the repair changes of the numbers that the program computes on the CPU; "" when nothing."""
    before = workshop.executed({}, "plain", "none")
    if not before.finished:
        return ""  # there is nothing to keep
    after = workshop.executed(repair.end.texts, "plain", "none")
    if not after.finished:
        return f"on the CPU it ran before, and as rewritten fails: {after.failure}"
    safe = all(_is_safe(mended.finding) for mended in repair.end.mended)
    found = compare("", before, after, EXACT if safe else LOOSE)
    if found.same:
        return ""
    again = workshop.executed({}, "plain", "none")
    if not again.finished or not compare("", before, again, EXACT).same:
        return ""  # it computes something else each time
    return f"on the CPU its {found.by} would change: {'; '.join(found.differences)}"


def _is_safe(finding: Finding) -> bool:
    return finding.fix is not None and finding.fix.applicability == Applicability.SAFE


def _reports(repair: Repair) -> list[FileReport]:
    """A report for each file of the program, with its new text."""
    fixed = [mended.finding for mended in repair.end.mended]
    before, after = repair.start.program.sources, repair.end.program.sources
    paths = sorted(repair.start.program.targets)
    return [
        FileReport(
            path,
            fixed=tuple(_of(path, fixed)),
            new_text=after[path].text if after[path].text != before[path].text else None,
        )
        for path in paths
    ]


def _of(path: str, findings: Iterable[Finding]) -> Iterable[Finding]:
    return (finding for finding in findings if finding.path == path)
