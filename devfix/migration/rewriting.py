"""Rewriting: what devfix finds in the files of a repository, and what it makes of them."""

from __future__ import annotations

import importlib
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from devfix.atomic_write import write_atomically
from devfix.commands import engine_with
from devfix.config import Asked, ConfigError, configuration_of
from devfix.engine import Engine
from devfix.findings import Applicability, Finding
from devfix.migration.campaign import Campaign, Repository
from devfix.migration.memory_bound import bounded_memory
from devfix.migration.steps import Made, Outcome, StepEndError
from devfix.migration.workspace import Workspace, is_below
from devfix.registry import load
from devfix.report.cells import Place
from devfix.report.results import Results
from devfix.runner import Task, run_paths

#: So many findings of each kind are told one by one.
_MOST_FINDINGS = 1000


def warm_up() -> None:
    """Import what every repository needs, once for all the processes that are forked from this one."""
    load()
    for module in ("devfix.analysis", "devfix.rewrite"):
        importlib.import_module(module)


def engine_for(campaign: Campaign, repository: Repository, tree: Path) -> Engine:
    """The rules and settings for a repository in ``tree``; raises ConfigError.

    The settings files of the repository are respected, and no others are read.
    """
    policy = () if not campaign.device_policy else (f'device-policy = "{campaign.device_policy}"',)
    asked = Asked(
        config=policy,
        select=campaign.select,
        ignore=campaign.ignore,
        extend_exclude=repository.exclude_files,
        adopt=campaign.adopt,
    )
    configuration = configuration_of(asked, top=os.path.abspath(tree))
    return engine_with(configuration, configuration.in_folder(tree))


def wanted_of(campaign: Campaign) -> Applicability:
    """Which fixes are applied."""
    return Applicability.UNSAFE if campaign.unsafe else Applicability.SAFE


def apply(campaign: Campaign, repository: Repository, workspace: Workspace) -> Made:
    """Apply the fixes to the files of the base; raises StepEndError."""
    tree = workspace.show(workspace.base)
    results = _run(campaign, repository, tree)
    _write(results, tree)
    data = _account(results)
    paths = [report.path for report in results.changed]
    stored = workspace.store(paths) if paths else ""
    diff = workspace.diff(stored) if stored else b""
    if not diff:
        return Made({**data, "changed": []})
    return Made({**data, "changed": paths, "tree": stored, **_lines(diff)}, {"diff": diff})


def recheck(campaign: Campaign, repository: Repository, tree: Path) -> Made:
    """Look at the rewritten files anew: nothing more is to change. Raises StepEndError."""
    results = _run(campaign, repository, tree)
    data = _account(results)
    if results.changed:
        names = ", ".join(report.path for report in results.changed)
        raise StepEndError(Outcome.FAILED, f"a second apply would change {names} again", data=data)
    return Made(data)


def _run(campaign: Campaign, repository: Repository, tree: Path) -> Results:
    with within(tree), bounded_memory(campaign.limits.memory):
        try:
            engine = engine_for(campaign, repository, Path())
        except ConfigError as error:
            raise StepEndError(Outcome.FAILED, f"its settings make no sense: {error}") from error
        results = run_paths((Path(),), engine, Task(wanted_of(campaign)), jobs=1)
    if any(crash.message.startswith("MemoryError") for crash in results.crashes):
        raise StepEndError(Outcome.FAILED, "the analysis took more memory than it may (`limits.memory`)")
    return results


@contextmanager
def within(tree: Path) -> Iterator[None]:
    """Within the folder, so that paths are told from there; no module is imported from it, whatever its name."""
    before, path = os.getcwd(), sys.path[:]
    sys.path[:] = [entry for entry in path if os.path.isabs(entry)]
    os.chdir(tree)
    try:
        yield
    finally:
        os.chdir(before)
        sys.path[:] = path


def _write(results: Results, tree: Path) -> None:
    root = os.path.realpath(tree)
    texts = {}
    for report in results.changed:
        path = os.path.realpath(tree / report.path)
        if not is_below(path, root):
            raise StepEndError(Outcome.FAILED, f"{report.path} leads out of the repository")
        try:
            texts[path] = results.sources[report.path].encode(report.new_text)
        except UnicodeEncodeError as error:
            raise StepEndError(
                Outcome.FAILED, f"{report.path} cannot hold the new text in its encoding"
            ) from error
    for path, text in texts.items():
        write_atomically(path, text)


def _account(results: Results) -> dict[str, Any]:
    """What was found, as plain data; counts are of everything, lists have an end."""
    crashes = [{"path": crash.path, "message": crash.message} for crash in results.crashes]
    return {
        "fixed": _listed(results.fixed, results.cell_span_before),
        "left": _listed(results.findings, results.cell_span),
        "fixed_count": len(results.fixed),
        "unsafe_count": sum(_is_unsafe(each) for each in results.fixed),
        "left_count": len(results.findings),
        "rules": dict(sorted(Counter(f"{each.code} {each.rule}" for each in results.fixed).items())),
        "left_rules": dict(sorted(Counter(f"{each.code} {each.rule}" for each in results.findings).items())),
        "suppressed": results.suppressed,
        "unread": [asdict(skipped) for skipped in results.skipped],
        "crashes": crashes,
        "programs": len(results.reports),
    }


def _is_unsafe(finding: Finding) -> bool:
    return finding.fix is not None and finding.fix.applicability is Applicability.UNSAFE


def _listed(findings: Sequence[Finding], place: Place) -> list[dict[str, Any]]:
    told = [_told(finding, place) for finding in findings[:_MOST_FINDINGS]]
    return sorted(told, key=lambda each: (each["path"], each["cell"] or 0, each["line"], each["column"]))


def _told(finding: Finding, place: Place) -> dict[str, Any]:
    cell, span = place(finding.path, finding.span)
    fix = finding.fix
    return {
        "code": finding.code,
        "rule": finding.rule,
        "message": finding.message,
        "path": finding.path,
        "cell": cell,
        "line": span.line,
        "column": span.column + 1,
        "fix": None if fix is None else fix.title,
        "applicability": None if fix is None else fix.applicability.name.lower(),
    }


def _lines(diff: bytes) -> dict[str, int]:
    """How many lines come and go."""
    body = [line for line in diff.split(b"\n") if not line.startswith((b"+++ ", b"--- "))]
    return {
        "added": sum(line.startswith(b"+") for line in body),
        "removed": sum(line.startswith(b"-") for line in body),
    }
