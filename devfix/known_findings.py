"""Known findings: what a project knows of and lives with, and what becomes of the rest."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from devfix.baseline.file import USUAL_NAME, read_baseline, write_baseline
from devfix.baseline.known import Known, hide, known_from
from devfix.baseline.trace import Trace, relative
from devfix.baseline.wishes import Wishes
from devfix.committed import known_at
from devfix.config import ConfigError
from devfix.config.reading import is_below
from devfix.engine import Engine
from devfix.judgement import UnusedSuppression
from devfix.project import REPOSITORY_MARK, marked_root
from devfix.report.results import Results
from devfix.silencing import silenced
from devfix.writing import places_of, write_reports


def known_of(
    wishes: Wishes,
    paths: Sequence[Path],
    engine: Engine,
    jobs: int | None,
    results: Results | None = None,
) -> list[Known]:
    """What is known of the files: by the baseline, and by a commit. Raises ConfigError.

    With ``results`` a commit is looked at no further than they have findings.
    """
    found = []
    if engine.settings.baseline is not None and not wishes.off:
        found.append(read_baseline(_shown(engine.settings.baseline)))
    if wishes.commit is not None and (results is None or results.findings):
        wanted = None if results is None else {finding.path for finding in results.findings}
        found.append(known_at(wishes.commit, paths, engine, jobs=jobs, wanted=wanted))
    return found


def without_known(results: Results, known: Sequence[Known], engine: Engine) -> tuple[Results, list[str]]:
    """The results without what is known, and what to say of that."""
    said = []
    for each in known:
        filtered = hide(results, each, engine.selection.runs)
        results = filtered.results
        if filtered.known:
            told = "1 known finding is" if filtered.known == 1 else f"{filtered.known} known findings are"
            said.append(f"{told} left out ({each.name})")
        if filtered.stale and not each.name.startswith("commit "):
            count = sum(count for _, count in filtered.stale)
            told, them = (
                ("1 finding of it is", "it") if count == 1 else (f"{count} findings of it are", "them")
            )
            named = "" if each.name == USUAL_NAME else f" --baseline {each.name}"
            said.append(
                f"warning: {each.name}: {told} gone; `devfix check{named} --prune-baseline` takes {them} out"
            )
    return results, said


def prune(results: Results, engine: Engine) -> str:
    """Take out of the baseline what is gone; raises ConfigError."""
    path = _written(engine)
    known = read_baseline(path)
    stale = hide(results, known, engine.selection.runs).stale
    if stale:
        _write(path, Counter(dict(known.counts)) - Counter(dict(stale)))
    return f"Took {_findings(sum(count for _, count in stale))} out of {path}."


def record(results: Results, engine: Engine, *, keep: bool) -> str:
    """Write all that was found to the baseline; raises ConfigError.

    What it has of files that were not looked at, and by rules that did not run, is kept where that is asked for.
    """
    path = _written(engine)
    if results.reports and all(report.skipped is not None for report in results.reports):
        names = ", ".join(report.path for report in results.reports[:3])
        raise ConfigError(
            f"nothing was checked: {names}; `--baseline FILE` says where the baseline is written"
        )
    counts = Counter(dict(known_from(results, os.path.dirname(os.path.abspath(path)), path).counts))
    if keep and os.path.exists(path):
        counts |= _unseen(results, read_baseline(path), engine)
    _write(path, counts)
    hint = (
        "" if engine.settings.baseline else f'; use it with --baseline or the setting `baseline = "{path}"`'
    )
    return f"Wrote {_findings(sum(counts.values()))} to {path}{hint}."


def _unseen(results: Results, known: Known, engine: Engine) -> Counter[Trace]:
    """What is known of files that a run did not look at, and of rules that did not run."""
    seen = {relative(report.path, known.root): report for report in results.reports}
    kept: Counter[Trace] = Counter()
    for trace, count in known.counts:
        report = seen.get(trace.path)
        if report is None:
            judged = not os.path.exists(os.path.join(known.root, trace.path))
        else:
            judged = report.skipped is None and report.crash is None and not report.unfinished
            judged = judged and engine.selection.runs(report.path, trace.code)
        if not judged:
            kept[trace] = count
    return kept


def _baseline(engine: Engine) -> str:
    return _shown(engine.settings.baseline or USUAL_NAME)


def _written(engine: Engine) -> str:
    """The baseline, where it may be written: what came with a project does not choose a file outside of it."""
    path = _baseline(engine)
    folder = os.path.abspath(engine.settings.root) if engine.settings.baseline else os.getcwd()
    if engine.of_files.is_told("baseline") or is_below(path, folder):
        return path
    # Settings of a part of a repository may extend those of all of it, and so have their baseline.
    around = [each for each in (marked_root(folder), marked_root(folder, (REPOSITORY_MARK,))) if each]
    if not any(is_below(path, place) for place in around):
        raise ConfigError(
            f"the baseline {path} lies outside of {(around or [folder])[-1]}; `--baseline {path}` writes it all the same"
        )
    if os.path.exists(path):
        read_baseline(path)  # which raises where it is something else
    return path


def _write(path: str, counts: Counter[Trace]) -> None:
    try:
        write_baseline(path, counts.items())
    except OSError as error:
        raise ConfigError(f"the baseline {path} cannot be written: {error.strerror or error}") from error


def _shown(path: str) -> str:
    here = os.getcwd().rstrip(os.sep) + os.sep
    return os.path.abspath(path).removeprefix(here)


def _findings(count: int) -> str:
    return "1 finding" if count == 1 else f"{count} findings"


@dataclass(frozen=True)
class Ignored:
    """Results in which findings are suppressed, how many, and by how many comments that are new or have grown."""

    results: Results
    findings: int
    comments: int

    @property
    def told(self) -> str:
        """What was done, in a line."""
        if not self.findings:
            return "Nothing was suppressed." if self.results.skipped else "Nothing to suppress."
        comments = "1 comment" if self.comments == 1 else f"{self.comments} comments"
        return f"Suppressed {_findings(self.findings)} by {comments}."


def ignore(results: Results, reason: str, paths: Sequence[Path], *, write: bool) -> Ignored:
    """Suppress each finding below ``paths`` by a comment, where one can stand; a file is written whole or not at all."""
    reports, suppressed, comments, places = [], 0, 0, places_of(paths)
    for report in results.reports:
        source = results.source(report.path)
        if source is None or not report.findings:
            reports.append(report)
            continue
        mine = [finding for finding in report.findings if finding.code != UnusedSuppression.code]
        done = silenced(source.text, mine, reason)
        left = tuple(each for each in report.findings if each in done.left or each not in mine)
        changed = replace(report, findings=left, new_text=done.text if done.comments else None)
        (changed,) = write_reports([changed], results.sources, places) if write else [changed]
        reports.append(changed)
        if changed.new_text is not None:
            suppressed += len(report.findings) - len(left)
            comments += done.comments
    return Ignored(replace(results, reports=tuple(reports)), suppressed, comments)
