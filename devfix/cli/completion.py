"""Completion: what a shell offers for the names of rules. Loads the rules, which nothing else here does."""

from __future__ import annotations

from collections.abc import Iterator


def rule(incomplete: str) -> Iterator[tuple[str, str]]:
    """The codes of rules, each with the name; once letters tell so, names with their codes."""
    from devfix.engine import with_built_in
    from devfix.registry import load

    for known in with_built_in(load().rules):
        if known.code.startswith(incomplete):
            yield known.code, known.name
        elif known.name.startswith(incomplete):
            yield known.name, known.code


def rules(incomplete: str) -> Iterator[tuple[str, str]]:
    """The same for the last of several, with commas between, and the word for all of them."""
    before, comma, last = incomplete.rpartition(",")
    given = before.split(",")
    if not comma and "ALL".startswith(last):
        yield "ALL", "every rule, also those that are off by default"
    for name, other in rule(last):
        if name not in given:
            yield before + comma + name, other
