"""Details: what the page tells of one repository when it is opened, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from devfix.migration.page.diff_rows import diff_files
from devfix.migration.reading import RepositoryReading
from devfix.migration.steps import Step, StepResult

#: A page of a thousand repositories has to open on a phone.
_MOST_ROWS = 2000
_MOST_FINDINGS = 200
_MOST_LOG = 12_000


def details(reading: RepositoryReading, results: Mapping[Step, StepResult]) -> dict[str, Any]:
    """Findings, changes, runs and steps of a repository; ``results`` have their files and logs."""
    applied = reading.data(Step.APPLY)
    return {
        "key": reading.key,
        "base": reading.data(Step.FETCH).get("base", ""),
        "commit": reading.data(Step.COMMIT).get("commit", ""),
        "fixed": [_finding(each) for each in applied.get("fixed", ())[:_MOST_FINDINGS]],
        "left": [_finding(each) for each in applied.get("left", ())[:_MOST_FINDINGS]],
        "counts": [reading.fixed, reading.left],
        "unread": [f"{each['path']}: {each['reason']}" for each in applied.get("unread", ())],
        "crashes": [f"{each['path']}: {each['message']}" for each in applied.get("crashes", ())],
        "diff": _diff(results),
        "verify": [
            _run(results[step]) for step in (Step.VERIFY_BEFORE, Step.VERIFY_AFTER) if step in results
        ],
        "ours": list(reading.data(Step.VERIFY_AFTER).get("ours", ())),
        "proofs": _proofs(reading.data(Step.PROVE)),
        "steps": [_step(result) for result in results.values()],
        "log": _log(results),
    }


def _finding(finding: Mapping[str, Any]) -> dict[str, Any]:
    cell = "" if finding["cell"] is None else f" cell {finding['cell']}"
    return {
        "where": f"{finding['path']}{cell}:{finding['line']}",
        "rule": f"{finding['code']} {finding['rule']}",
        "message": finding["message"],
        "fix": finding["fix"] or "",
        "trust": finding["applicability"] or "",
    }


def _diff(results: Mapping[Step, StepResult]) -> list[dict[str, Any]]:
    applied = results.get(Step.APPLY)
    diff = b"" if applied is None else applied.files.get("diff", b"")
    return diff_files(diff.decode("utf-8", "replace"), _MOST_ROWS)


def _run(result: StepResult) -> dict[str, Any]:
    data = result.data
    return {
        "when": result.step.value.removeprefix("verify-"),
        "command": data.get("command", ""),
        "passes": bool(data.get("passes")),
        "status": data.get("status"),
        "limit": data.get("limit"),
        "seconds": data.get("run_seconds", 0.0),
        "failing": list(data.get("failing", ())),
        "log": _short(result.log),
    }


def _proofs(data: Mapping[str, Any]) -> dict[str, Any]:
    witness = data.get("witness") or {}
    keys = ("program", "verdict", "reason")
    programs = [{key: each[key] for key in keys} for each in data.get("programs", ())]
    return {"witness": witness.get("name", ""), "programs": programs, "note": data.get("note", "")}


def _step(result: StepResult) -> dict[str, Any]:
    return {
        "step": result.step.value,
        "outcome": result.outcome.value,
        "reason": result.reason,
        "started": result.started,
        "seconds": result.seconds,
        "attempts": result.attempts,
    }


def _log(results: Mapping[Step, StepResult]) -> str:
    """What the step said that ended the work, unless it is a verify command, whose output is shown anyway."""
    shown = (Step.VERIFY_BEFORE, Step.VERIFY_AFTER)
    logs = (result.log for step, result in results.items() if result.ends and step not in shown)
    return _short("\n".join(log for log in logs if log))


def _short(log: str) -> str:
    if len(log) <= _MOST_LOG:
        return log
    return f"[... {len(log) - _MOST_LOG} characters left out ...]\n{log[-_MOST_LOG:]}"
