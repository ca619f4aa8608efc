"""Known: a number of findings, by what they are known by, and which of others are among them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from devfix.baseline.trace import Trace, relative, traces
from devfix.file_report import FileReport
from devfix.findings import Finding
from devfix.project import Program
from devfix.report.results import Results
from devfix.source import Source


@dataclass(frozen=True)
class Known:
    """Findings that are known: traces with how many there are of each. Plain data, as a task needs it.

    Paths are relative to ``root``. ``name`` is what they are from.
    """

    counts: tuple[tuple[Trace, int], ...]
    root: str
    name: str

    @cached_property
    def _by_path(self) -> Mapping[str, list[tuple[Trace, int]]]:
        found: dict[str, list[tuple[Trace, int]]] = {}
        for trace, count in self.counts:
            found.setdefault(trace.path, []).append((trace, count))
        return found

    def lost(self) -> Counter[Trace]:
        """Those of files that are not there any more: they may have another name now."""
        gone = [path for path in self._by_path if not os.path.exists(os.path.join(self.root, path))]
        return Counter({trace: count for path in gone for trace, count in self._by_path[path]})

    def split(self, source: Source, findings: Sequence[Finding], lost: Counter[Trace]) -> Split:
        """Tell the findings of one file that are known from the others; what is ``lost`` is found at most once."""
        entries = self._by_path.get(relative(source.path, self.root), [])
        if not findings or not (entries or lost):
            return replace(self.without_findings(source.path), new=tuple(findings))
        return _Matching(findings, traces(source, findings, self.root)).split(entries, lost)

    def without_findings(self, path: str) -> Split:
        """The same for a file in which nothing was found; what is known of it is gone."""
        return Split((), (), tuple(self._by_path.get(relative(path, self.root), [])))


def admitted(known: Iterable[Known], program: Program, findings: Sequence[Finding]) -> Sequence[Finding]:
    """The findings of a program that none knows, which are those to be fixed."""
    for each in known:
        lost = each.lost()
        findings = [
            finding
            for path in dict.fromkeys(finding.path for finding in findings)
            for finding in each.split(program.sources[path], _of(path, findings), lost).new
        ]
    return findings


def _of(path: str, findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.path == path]


@dataclass(frozen=True)
class Split:
    """The findings of a file: new ones and those that are known. ``stale`` entries are known and not there."""

    new: tuple[Finding, ...]
    known: tuple[Finding, ...]
    stale: tuple[tuple[Trace, int], ...] = ()


@dataclass
class _Matching:
    """The matching of findings with entries: the exact ones first, then those that moved."""

    findings: Sequence[Finding]
    traces: Sequence[Trace]
    matched: set[int] = field(default_factory=set)

    def split(self, entries: Iterable[tuple[Trace, int]], lost: Counter[Trace]) -> Split:
        budget = Counter(dict(entries))
        self._match(budget, lambda trace: trace)
        self._match(budget, lambda trace: trace.essential)
        self._match(budget, lambda trace: trace.essential.anywhere)
        self._match(lost, lambda trace: trace.essential.moved)
        self._match(lost, lambda trace: trace.essential.moved.anywhere)
        numbered = list(enumerate(self.findings))
        stale = tuple(sorted((trace, count) for trace, count in budget.items() if count))
        return Split(
            tuple(finding for number, finding in numbered if number not in self.matched),
            tuple(finding for number, finding in numbered if number in self.matched),
            stale,
        )

    def _match(self, budget: Counter[Trace], key: Callable[[Trace], Trace]) -> None:
        """Match what is left of the findings, as far as the budget goes; traces with one key are alike."""
        alike: dict[Trace, list[Trace]] = {}
        for trace in sorted(budget):
            alike.setdefault(key(trace), []).append(trace)
        for number, trace in enumerate(self.traces):
            if number in self.matched:
                continue
            found = next((each for each in alike.get(key(trace), ()) if budget[each]), None)
            if found is not None:
                budget[found] -= 1
                self.matched.add(number)


@dataclass(frozen=True)
class Filtered:
    """Results without what is known, how much that was, and what is known but was not found."""

    results: Results
    known: int
    stale: tuple[tuple[Trace, int], ...]


def hide(results: Results, known: Known, judges: Callable[[str, str], bool]) -> Filtered:
    """The results without the findings that are known.

    What is known of a file that was not looked at, or found by a rule that does not run on it, as
    ``judges`` tells by path and code, is not stale.
    """
    reports: list[FileReport] = []
    stale: list[tuple[Trace, int]] = []
    lost, count = known.lost(), 0
    for report in results.reports:
        source = results.source(report.path)
        if report.skipped is not None or (source is None and report.findings):
            reports.append(report)
            continue
        split = (
            known.without_findings(report.path)
            if source is None
            else known.split(source, report.findings, lost)
        )
        reports.append(replace(report, findings=split.new))
        if report.crash is None and not report.unfinished:
            stale += [entry for entry in split.stale if judges(report.path, entry[0].code)]
        count += len(split.known)
    stale += [(trace, left) for trace, left in lost.items() if left]
    return Filtered(replace(results, reports=tuple(reports)), count, tuple(sorted(stale)))


def known_from(results: Results, root: str, name: str) -> Known:
    """What results found, as known."""
    counts: Counter[Trace] = Counter()
    for report in results.reports:
        source = results.source(report.path)
        if source is not None and report.findings:
            counts.update(traces(source, report.findings, root))
    return Known(tuple(sorted(counts.items())), root, name)
