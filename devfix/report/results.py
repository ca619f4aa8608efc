"""Results: the reports of a run, the texts they point into, and the exit code they mean."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from devfix.file_report import Crash, FileReport, Skipped
from devfix.findings import Applicability, Finding, Span
from devfix.registry import PackFault
from devfix.report.cells import cell_named, in_cells
from devfix.source import Source
from devfix.timing import Timing


@dataclass(frozen=True, slots=True)
class ExitPolicy:
    """What a run's exit code is to tell: ``exit_zero`` never of findings, ``non_zero_on_fix`` also of what was fixed."""

    exit_zero: bool = False
    non_zero_on_fix: bool = False


@dataclass(frozen=True)
class Results:
    """What a run found.

    ``applying`` says that fixes were made, ``written`` that they are on disk (else they are shown),
    and ``wanted`` from which applicability on. ``sources`` are the files as they were.
    """

    reports: tuple[FileReport, ...]
    sources: Mapping[str, Source]
    wanted: Applicability = Applicability.SAFE
    applying: bool = False
    written: bool = False
    #: What of the installed packs of rules did not run.
    pack_faults: tuple[PackFault, ...] = ()
    policy: ExitPolicy = field(default_factory=ExitPolicy)
    #: Where the time went, for those who asked.
    timing: Timing | None = None

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong (and, when applying, still wrong), file by file."""
        return tuple(finding for report in self.reports for finding in report.findings)

    @property
    def fixed(self) -> tuple[Finding, ...]:
        """What was wrong before the fixes, or came to light on the way, and no longer is."""
        return tuple(finding for report in self.reports for finding in report.mended)

    @property
    def uncovered(self) -> int:
        """How much of what was fixed was not there at first."""
        return sum(report.uncovered for report in self.reports)

    @property
    def changed(self) -> tuple[FileReport, ...]:
        """The files whose text is another now."""
        return tuple(report for report in self.reports if report.new_text is not None)

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """The files that were not looked at."""
        return tuple(report.skipped for report in self.reports if report.skipped is not None)

    @property
    def crashes(self) -> tuple[Crash, ...]:
        """The files devfix failed on."""
        return tuple(report.crash for report in self.reports if report.crash is not None)

    @property
    def suppressed(self) -> int:
        """How many findings a comment silences."""
        return sum(report.suppressed for report in self.reports)

    @property
    def has_faults(self) -> bool:
        """Whether a file could not be looked at that should have been, or a rule did not run."""
        return bool(self.crashes or self.pack_faults) or any(skipped.fault for skipped in self.skipped)

    @property
    def exit_code(self) -> int:
        """0 clean, 1 findings or (when not written) changes, 2 a fault or a crash; the policy may make it milder."""
        if self.has_faults:
            return 2
        if self.policy.exit_zero:
            return 0
        changes_count = self.policy.non_zero_on_fix or not self.written
        return int(bool(self.findings or (self.changed and changes_count)))

    def fixable(self, wanted: Applicability) -> int:
        """How many findings have a fix of just this applicability."""
        return sum(
            finding.fix is not None and finding.fix.applicability == wanted for finding in self.findings
        )

    def hidden(self) -> Counter[tuple[str, str]]:
        """The unsafe fixes that stay hidden, by code and name of the rule."""
        if self.wanted <= Applicability.UNSAFE:
            return Counter()
        unsafe = (
            finding
            for finding in self.findings
            if finding.fix and finding.fix.applicability == Applicability.UNSAFE
        )
        return Counter((finding.code, finding.rule) for finding in unsafe)

    def shown(self, finding: Finding) -> Finding:
        """A finding as it is shown: in a notebook by its cell."""
        return in_cells(finding, self.cell_span)

    def cell_span(self, path: str, span: Span) -> tuple[int | None, Span]:
        """Where something that is (still) wrong stands in a notebook; no other file has cells."""
        source = self.source(path)
        return (None, span) if source is None else source.cell_span(span)

    def cell_span_before(self, path: str, span: Span) -> tuple[int | None, Span]:
        """The same for something that was wrong before the fixes."""
        return self.sources[path].cell_span(span) if path in self.sources else (None, span)

    def lines(self, path: str) -> Sequence[str]:
        """The lines that findings in ``path``, a file or a cell's label, point into; empty when they are not known."""
        if path not in self._lines:
            self._lines[path] = list(io.StringIO(self._text(path), newline=""))
        return self._lines[path]

    @cached_property
    def _lines(self) -> dict[str, list[str]]:
        return {}

    @cached_property
    def _new_texts(self) -> dict[str, str]:
        return {report.path: report.new_text for report in self.changed if report.new_text is not None}

    @cached_property
    def _changed_sources(self) -> dict[str, Source]:
        changed = {path: text for path, text in self._new_texts.items() if path in self.sources}
        return {path: self.sources[path].with_text(text) for path, text in changed.items()}

    def source(self, path: str) -> Source | None:
        """A file that findings point into: where it was fixed as it is now, or would be."""
        return self._changed_sources.get(path) or self.sources.get(path)

    def _text(self, label: str) -> str:
        path, cell = cell_named(label)
        source = self.source(path)
        if source is None:
            return ""
        return source.text if cell is None else source.cell_text(cell)


def by_path(reports: Iterable[FileReport]) -> tuple[FileReport, ...]:
    """Reports in order of path."""
    return tuple(sorted(reports, key=lambda report: report.path))


def for_skipped(skipped: Iterable[Skipped]) -> Iterator[FileReport]:
    """A report for each file that was not looked at."""
    return (FileReport(each.path, skipped=each) for each in skipped)
