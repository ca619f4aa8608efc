"""Proof page: what the runs of one program prove, as a page of Markdown to read in an editor."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

_MEANING = {
    "fixed": "It fails as it is, and runs with the fixes.",
    "was-fine": "It runs as it is.",
    "still-fails": "It fails for its devices or dtypes, with the fixes, too.",
    "changed-result": "It runs with the fixes, but does not come to the same result.",
    "cannot-run": "Nothing could be proven.",
}
_RUNS = {
    "before": "As it is",
    "after": "With the fixes",
    "reference": "With the fixes, on the CPU",
    "before_on_cpu": "As it is, on the CPU",
}


def proof_page(document: Mapping[str, Any]) -> str:
    """The page for the report of ``devfix prove`` on one program."""
    return "\n".join(
        line for program in document["programs"] for line in _program(program, document["witness"])
    )


def _program(program: Mapping[str, Any], witness: Mapping[str, Any]) -> Iterator[str]:
    verdict = program["verdict"]
    yield f"# {program['program']}: {verdict}"
    yield ""
    yield program["reason"] or _MEANING.get(verdict, "")
    yield ""
    for key, name in _RUNS.items():
        if program.get(key):
            yield f"- **{name}:** {_ended(program[key])}"
    for comparison in program["comparisons"]:
        found = "the same" if comparison["same"] else "; ".join(comparison["differences"]) or "different"
        yield f"- **Compared, {comparison['what']}:** {found}"
    changes = program["changes"]
    if changes["findings"]:
        trust = "safe fixes" if changes["safe"] else "fixes that are not all safe"
        yield f"- **Changed:** {', '.join(changes['files'])}, by {trust} ({changes['findings']} in all)"
    for note in program["notes"]:
        yield f"- **Note:** {note}"
    yield ""
    yield f"Run on {_place(witness)} with {witness['interpreter']}, torch {witness['torch']}."
    yield ""


def _ended(run: Mapping[str, Any]) -> str:
    failure = run["failure"]
    if failure is None:
        steps = f" after {run['steps']} steps" if run["steps"] else ""
        return f"runs to its end{steps}" if run["finished"] else f"stops at a limit: {run['limit']}"
    place = failure["place"]
    where = (
        f"fails at {os.path.basename(place['file'])}:{place['line']}, `{place['text']}`: " if place else ""
    )
    return f"{where}{failure['text']}"


def _place(witness: Mapping[str, Any]) -> str:
    return str(witness["gpu"]) if witness["gpu"] else f"a simulated {witness['kind']} device"
