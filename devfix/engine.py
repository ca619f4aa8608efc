"""Engine: a project in, what is wrong with it and how it should read out; no files, no output."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property

from devfix.batch import ApplyEdits, text_after
from devfix.config import ConfigError, Settings, SettingsOf
from devfix.endless import NotConvergingError
from devfix.fates import Fates, fates
from devfix.file_report import Crash, FileReport
from devfix.findings import Applicability, Edit, Finding, ReplaceComment
from devfix.fixing import Admits, Fixer
from devfix.judgement import Analyse, Judgement, RuleFailure, UnusedSuppression, judge
from devfix.judgements import Judgements
from devfix.project import Program, Project
from devfix.registry import PackFault, Rule
from devfix.selection import Selection
from devfix.states import State
from devfix.tidying.line_breaks import broken
from devfix.tidying.written import Written
from devfix.timing import FIXES, spent_on


@dataclass(frozen=True)
class Rewriting:
    """How edits become text, and the exception that says they cannot."""

    apply_edits: ApplyEdits
    error: type[Exception]


def _analyse(program: Program) -> object:
    from devfix.analysis import analyse  # noqa: PLC0415 - a run without relevant files never needs it

    return analyse(program)


def _rewriting() -> Rewriting:
    from devfix.rewrite import EditError, apply_edits  # noqa: PLC0415 - a run without fixes never meets libcst

    return Rewriting(apply_edits, EditError)


def with_built_in(rules: Iterable[Rule]) -> list[Rule]:
    """The rules and the one that only the engine can judge."""
    return [*rules, UnusedSuppression()]


@dataclass(frozen=True)
class Engine:
    """Rules and settings, ready to be run on programs.

    ``settings`` are those of the run, and ``configuration`` tells those of each file where they may differ.
    ``analyse`` and ``rewriting`` are the tool's own unless given. ``pack_faults`` say which installed
    rules are not among ``rules``.
    """

    rules: Sequence[Rule]
    settings: Settings
    analyse: Analyse | None = None
    rewriting: Rewriting | None = None
    pack_faults: Sequence[PackFault] = ()
    configuration: SettingsOf | None = None

    @cached_property
    def selection(self) -> Selection:
        """The rules that run; raises ConfigError when the settings name one that does not exist."""
        with self._pack_faults_told():
            complete = not self.pack_faults
            return Selection(
                with_built_in(self.rules), self.settings, self.configuration, is_complete=complete
            )

    def prepare(self, paths: Iterable[str]) -> None:
        """Look at the settings of some files; raises ConfigError where they name a rule that does not exist."""
        selection = self.selection
        with self._pack_faults_told():
            selection.prepare(paths)

    @contextmanager
    def _pack_faults_told(self) -> Iterator[None]:
        try:
            yield
        except ConfigError as error:
            if not self.pack_faults:
                raise
            raise ConfigError("; ".join([str(error), *map(str, self.pack_faults)])) from error

    @property
    def of_files(self) -> SettingsOf:
        """What tells the settings of a file."""
        return self.settings if self.configuration is None else self.configuration

    def device_policy(self, paths: Iterable[str]) -> str:
        """How a program of some files names its device.

        Where its files have different settings, those of the outermost file hold, and of several such of
        the first one by name.
        """
        outermost = min(paths, key=lambda path: (path.count(os.sep), path), default=None)
        settings = self.settings if outermost is None else self.of_files.of(outermost)
        return settings.device_policy

    def check(self, program: Program, analyse: Analyse | None = None) -> list[FileReport]:
        """A report for each target of the program, which may be analysed in another way than usual."""
        return reports(program, self.judge(program) if analyse is None else self.judge(program, analyse))

    def fix(self, program: Program, wanted: Applicability, admits: Admits | None = None) -> list[FileReport]:
        """A report for each target, with the new text where the wanted fixes change it.

        Only findings that ``admits`` names are fixed, where it is given.
        """
        start = State(program, self.judge(program))
        try:
            with spent_on(FIXES):
                end = self.end_of(start, wanted, admits)
        except NotConvergingError as error:
            return [_crashed(report, error) for report in reports(program, start.judgement)]
        found = start.judgement.findings
        told = fates(start, end, found if admits is None else admits(program, found))
        return [_with_changes(report, start, end, told) for report in reports(program, end.judgement)]

    def judge(self, program: Program, analyse: Analyse | None = None) -> Judgement:
        """What the rules say of a program."""
        return judge(program, self.selection, self.analyse or analyse or _analyse)

    def mend(self, program: Program, judgement: Judgement, finding: Finding) -> dict[str, str]:
        """The new texts of the files that the fix of one finding of the judgement changes; none without a fix."""
        mended = self._fixer(Applicability.UNSAFE).mended(State(program, judgement), finding)
        after = {} if mended is None else mended.sources
        before = program.sources
        return {
            path: broken(Written(before[path], source))
            for path, source in after.items()
            if source.text != before[path].text
        }

    def edited(self, text: str, edits: Sequence[Edit | ReplaceComment]) -> str | None:
        """A text after edits of it; None where they have no place in it."""
        rewriting = self.rewriting or _rewriting()
        try:
            with warnings.catch_warnings():
                # Parsing the user's text may warn, say, of an invalid escape; that is not ours to print.
                warnings.simplefilter("ignore")
                return text_after(text, edits, rewriting.apply_edits)
        except rewriting.error:
            return None

    def end_of(self, start: State, wanted: Applicability, admits: Admits | None) -> State:
        """The state of a program in which no wanted fix is left that ``admits`` names; raises NotConvergingError."""
        if not any(finding.fix for finding in start.judgement.findings):
            return start
        fixer = self._fixer(wanted)
        if admits is not None:
            fixer.admits = admits
        return fixer.run(start)

    def _fixer(self, wanted: Applicability) -> Fixer:
        rewriting = self.rewriting or _rewriting()
        return Fixer(Judgements(self.judge), rewriting.apply_edits, rewriting.error, self.selection, wanted)


def check(project: Project, rules: Sequence[Rule], settings: Settings) -> list[FileReport]:
    """What is wrong in each target of a project."""
    engine = Engine(rules, settings)
    return _in_order(report for program in project.programs() for report in engine.check(program))


def fix(
    project: Project, rules: Sequence[Rule], settings: Settings, wanted: Applicability
) -> list[FileReport]:
    """What is wrong, and how each target reads with the wanted fixes."""
    engine = Engine(rules, settings)
    return _in_order(report for program in project.programs() for report in engine.fix(program, wanted))


def _in_order(reports: Iterable[FileReport]) -> list[FileReport]:
    return sorted(reports, key=lambda report: report.path)


def reports(program: Program, judgement: Judgement) -> list[FileReport]:
    """The judgement file by file; where a rule failed, no file is known to be without its findings."""
    return [
        FileReport(
            path,
            findings=_of(path, judgement.findings),
            crash=_failures(path, judgement.failures),
            suppressed=judgement.suppressed.get(path, 0),
            unfinished=judgement.unfinished.get(path, ()),
        )
        for path in sorted(program.targets)
    ]


def _failures(path: str, failures: Sequence[RuleFailure]) -> Crash | None:
    if not failures:
        return None
    messages, traces = ([getattr(each, key) for each in failures] for key in ("message", "traceback"))
    return Crash(path, "; ".join(messages), "\n".join(traces))


def _of(path: str, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(finding for finding in findings if finding.path == path)


def _with_changes(report: FileReport, start: State, end: State, told: Fates) -> FileReport:
    path = report.path
    before, after = start.program.sources[path].text, end.program.sources[path].text
    return replace(
        report,
        fixed=_of(path, told.fixed),
        also_fixed=_of(path, told.also_fixed),
        uncovered=len(_of(path, told.uncovered)),
        new_text=None if after == before else after,
    )


def _crashed(report: FileReport, error: NotConvergingError) -> FileReport:
    if report.path not in error.paths:
        return report
    crash = Crash(report.path, f"{error}; the file is left as it was", "")
    return replace(report, crash=crash)
