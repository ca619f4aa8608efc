"""Catalogue: the rules and their pages, from their own docstrings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from devfix.findings import Applicability
from devfix.registry import Rule, family, page, since, summary
from devfix.selection import is_on_by_default

_TRUST = {
    Applicability.SAFE: "safe fix",
    Applicability.UNSAFE: "unsafe fix",
    Applicability.DISPLAY: "advice",
}


def render_rules(rules: Sequence[Rule]) -> str:
    """A line for each rule, in columns."""
    width = max((len(rule.name) for rule in rules), default=0)
    lines = [
        f"{rule.code}  {rule.name:<{width}}  {_TRUST[rule.applicability]:<10}  {_read(summary(rule))}"
        for rule in rules
    ]
    return "".join(line.rstrip() + "\n" for line in lines)


def render_rules_json(rules: Iterable[Rule]) -> str:
    """The rules as a list of objects."""
    return json.dumps([_entry(rule) for rule in rules], indent=2) + "\n"


def _entry(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "family": family(rule.code),
        "applicability": rule.applicability.name.lower(),
        "default": is_on_by_default(rule.code),
        "since": since(rule),
        "summary": summary(rule),
        "anchor": f"{rule.code}-{rule.name}".lower(),
        "page": rule_markdown(rule),
    }


def render_page(rule: Rule) -> str:
    """A rule's own page."""
    title = f"{rule.code} {rule.name} ({_TRUST[rule.applicability]})"
    text = "\n".join(line if line.startswith("    ") else _read(line) for line in page(rule).splitlines())
    return f"{title}\n{'=' * len(title)}\n\n{text}\n"


def _read(line: str) -> str:
    """A line of a docstring as it is read on a terminal: the marks of its markup are for the pages of the site."""
    line = line.replace("``", "`")
    return line[:-1] if line.endswith("::") else line


def rule_markdown(rule: Rule) -> str:
    """A rule's page: its docstring with the programs in fences."""
    lines = [f"# {rule.code} {rule.name}", ""]
    fenced = False
    for line in page(rule).splitlines():
        if fenced and line and not line.startswith(" "):
            _close(lines)
            fenced = False
        if line.endswith("::"):
            lines += [line[:-1], "", "```python"]
            fenced = True
        elif fenced:
            lines += [line.removeprefix("    ")] if line or lines[-1] != "```python" else []
        else:
            lines.append(line.replace("``", "`"))
    if fenced:
        _close(lines)
    return "\n".join([*lines, ""])


def _close(lines: list[str]) -> None:
    while not lines[-1]:
        lines.pop()
    lines += ["```", ""]
