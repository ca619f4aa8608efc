"""Statistics: how often each rule speaks, and how much of it can be fixed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from devfix.findings import Applicability
from devfix.report.paint import Paint
from devfix.report.results import Results

_MARKS = {
    "[*]": "fixed by `devfix apply`",
    "[-]": "partly fixed by `devfix apply`",
    "[!]": "fixed by `devfix apply --unsafe`",
    "[ ]": "",
}


class Count(NamedTuple):
    """How many findings a rule has, and how many of them have a safe or an unsafe fix."""

    code: str
    name: str
    findings: int
    safe: int
    unsafe: int

    @property
    def mark(self) -> str:
        """How much can be fixed, in three characters."""
        if self.safe:
            return "[*]" if self.safe == self.findings else "[-]"
        return "[!]" if self.unsafe else "[ ]"


def counts(results: Results) -> list[Count]:
    """The rules that found something, those with most findings first."""
    trust: dict[tuple[str, str], Counter[Applicability | None]] = {}
    for finding in results.findings:
        applicability = None if finding.fix is None else finding.fix.applicability
        trust.setdefault((finding.code, finding.rule), Counter())[applicability] += 1
    found = [
        Count(code, name, sum(kinds.values()), kinds[Applicability.SAFE], kinds[Applicability.UNSAFE])
        for (code, name), kinds in trust.items()
    ]
    return sorted(found, key=lambda count: (-count.findings, count.code))


def render_statistics(results: Results, paint: Paint) -> str:
    """A line for each rule, and what the marks mean."""
    found = counts(results)
    lines = [_line(count, paint) for count in found]
    return "".join(line + "\n" for line in [*lines, *_legend(found)])


def _line(count: Count, paint: Paint) -> str:
    return f"{count.findings}\t{paint('red', count.code)}\t{paint('cyan', count.mark)} {count.name}"


def _legend(found: list[Count]) -> Iterator[str]:
    used = {count.mark for count in found}
    yield from (f"{mark} {meaning}" for mark, meaning in _MARKS.items() if mark in used and meaning)


def render_statistics_json(results: Results) -> str:
    """The same as a list of objects."""
    entries = [
        {
            "code": count.code,
            "name": count.name,
            "count": count.findings,
            "fixable": count.safe == count.findings,
            "safe_fixes": count.safe,
            "unsafe_fixes": count.unsafe,
        }
        for count in counts(results)
    ]
    return json.dumps(entries, indent=2) + "\n"
