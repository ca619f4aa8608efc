"""Export: a campaign's state for other tools, as JSON or CSV."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from devfix.migration.reading import CampaignReading, RepositoryReading
from devfix.migration.steps import Step

#: Raised when a key changes its meaning or goes; new keys do not raise it.
SCHEMA_VERSION = 1
_COLUMNS = "name source standing reason fixed left files unread verified proven commit pushed pull_request seconds".split()


def render_export(reading: CampaignReading, output_format: str) -> str:
    """The whole reading as JSON, or a row for each repository as CSV."""
    return _csv(reading) if output_format == "csv" else _json(reading)


def _json(reading: CampaignReading) -> str:
    document = {
        "version": SCHEMA_VERSION,
        "campaign": reading.name,
        "branch": reading.branch,
        "standings": {standing.value: count for standing, count in reading.standings.items()},
        "runs": [
            dict(zip(("number", "started", "ended", "ending"), run, strict=True)) for run in reading.runs
        ],
        "repositories": [{**_row(each), "steps": _steps(each)} for each in reading.repositories],
    }
    return json.dumps(document, indent=2) + "\n"


def _steps(each: RepositoryReading) -> dict[str, Any]:
    return {
        step.value: {
            "outcome": result.outcome.value,
            "reason": result.reason,
            "input": result.input,
            "started": result.started,
            "seconds": result.seconds,
            "attempts": result.attempts,
            "data": result.data,
        }
        for step, result in each.results.items()
    }


def _csv(reading: CampaignReading) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    for each in reading.repositories:
        writer.writerow({key: _cell(value) for key, value in _row(each).items()})
    return text.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, list):
        value = " ".join(map(str, value))
    elif isinstance(value, dict):
        value = ", ".join(f"{count} {word}" for word, count in value.items())
    if not isinstance(value, str):
        return value
    # Names of files need not be text, and a spreadsheet would take some texts for formulas.
    text = value.encode("utf-8", "backslashreplace").decode()
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


def _row(each: RepositoryReading) -> dict[str, Any]:
    pushed = each.results.get(Step.PUSH)
    return {
        "name": each.name,
        "source": each.source,
        "standing": each.standing.value,
        "reason": each.reason,
        "fixed": each.fixed,
        "left": each.left,
        "files": each.changed_files,
        "unread": each.unread,
        "verified": each.verified,
        "proven": dict(each.proven),
        "commit": each.data(Step.COMMIT).get("commit", ""),
        "pushed": bool(pushed and not pushed.ends),
        "pull_request": each.pull_request,
        "seconds": round(each.seconds, 3),
    }
