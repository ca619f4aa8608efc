"""Catalogue: the rules and their pages, from their own docstrings."""

from __future__ import annotations

import json
from collections.abc import Sequence

from devfix.findings import Applicability
from devfix.registry import Rule, page, summary

_TRUST = {
    Applicability.SAFE: "safe fix",
    Applicability.UNSAFE: "unsafe fix",
    Applicability.DISPLAY: "advice",
}


def render_rules(rules: Sequence[Rule]) -> str:
    """A line for each rule, in columns."""
    width = max((len(rule.name) for rule in rules), default=0)
    lines = [
        f"{rule.code}  {rule.name:<{width}}  {_TRUST[rule.applicability]:<10}  {summary(rule)}"
        for rule in rules
    ]
    return "".join(line.rstrip() + "\n" for line in lines)


def render_rules_json(rules: Sequence[Rule]) -> str:
    """The rules as a list of objects."""
    entries = [
        {
            "code": rule.code,
            "name": rule.name,
            "applicability": rule.applicability.name.lower(),
            "summary": summary(rule),
        }
        for rule in rules
    ]
    return json.dumps(entries, indent=2) + "\n"


def render_page(rule: Rule) -> str:
    """A rule's own page."""
    title = f"{rule.code} {rule.name} ({_TRUST[rule.applicability]})"
    return f"{title}\n{'=' * len(title)}\n\n{page(rule)}\n"
