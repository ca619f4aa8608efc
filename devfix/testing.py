"""Testing: what the author of a rule asserts of it, in one line each.

Programs are texts, or several files as texts by path; indentation that all lines share is taken off. Nothing is
written, run or imported. Every installed rule looks at the programs, so that a fix that causes another finding
is withdrawn as in real runs, but only the rule in question is listened to. ``docs/rule-packs.md`` has examples.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Mapping, Sequence
from functools import partial
from textwrap import dedent
from typing import Any

from devfix.config import Settings
from devfix.engine import Engine
from devfix.file_report import FileReport, Skipped
from devfix.findings import Finding
from devfix.project import Project
from devfix.registry import Rule, load_rules, page
from devfix.rules import Rule as Checks
from devfix.selection import ADOPTING_RULE
from devfix.source import Source, check_syntax

__all__ = ["assert_example", "assert_finds", "assert_fixes", "assert_untouched", "example", "findings"]

#: A rule or its class.
AnyRule = Rule | Checks | type[Checks]
#: One file ``main.py``, or files by path.
Program = str | Mapping[str, str]
_BLOCK = r"^{title}::\n\n((?:    .*\n|\n)+)"


def findings(rule: AnyRule, program: Program) -> list[Finding]:
    """What the rule finds in a program, in order; lines count from 1, columns from 0.

    Raises AssertionError when the program does not parse or the rule fails on it.
    """
    rule = _made(rule)
    project, engine = _project(program), _engine(rule)
    reports = [report for each in project.programs() for report in engine.check(each)]
    return _found(rule, reports)


def assert_finds(rule: AnyRule, program: Program, *lines: int) -> None:
    """The rule finds something in these lines (of any file) and in no others, or AssertionError tells what it finds.

    A line with two findings is named twice.
    """
    found = findings(rule, program)
    if sorted(each.span.line for each in found) != sorted(lines):
        told = [f"{each.path}:{each.span.line}: {each.message}" for each in found]
        raise AssertionError(
            "\n".join([f"expected findings in lines {sorted(lines)}, not", *(told or ["none"])])
        )


def assert_untouched(rule: AnyRule, program: Program) -> None:
    """The rule has nothing to say of a program."""
    assert_finds(rule, program)


def assert_fixes(rule: AnyRule, before: Program, after: Program) -> None:
    """The fixes of the rule make ``after`` of ``before``, and then it has nothing more to say.

    Fixes are applied as far as the rule's ``applicability`` says that they can be trusted. Raises AssertionError with a
    diff where they come to something else.
    """
    rule = _made(rule)
    texts, wanted = _files(before), _files(after)
    for path, text in wanted.items():
        _parsed(path, text)
    fixed = _fixed(rule, texts)
    if fixed != wanted:
        raise AssertionError("\n".join(["the fixes make something else of it:", *_difference(wanted, fixed)]))
    left = findings(rule, fixed)
    if left:
        raise AssertionError(f"after its fixes the rule still says: {left[0].message}")


def assert_example(rule: AnyRule) -> None:
    """The rule finds the fault of its docstring's ``Before::``, and its fixes make the ``After::`` of it.

    Raises AssertionError where it does not.
    """
    before, after = example(rule)
    if not findings(rule, before):
        raise AssertionError("the rule finds nothing in its own example")
    assert_fixes(rule, before, after)


def example(rule: AnyRule) -> tuple[str, str]:
    """The programs under ``Before::`` and ``After::`` in a rule's docstring.

    Raises AssertionError where there are none.
    """
    text = page(_made(rule)) + "\n"
    before, after = (_block(text, title) for title in ("Before", "After"))
    return before, after


def _block(text: str, title: str) -> str:
    found = re.search(_BLOCK.format(title=title), text, re.MULTILINE)
    if found is None:
        raise AssertionError(f"the docstring has no `{title}::` with an indented program below it")
    return inspect.cleandoc(found[1]) + "\n"


def _made(rule: AnyRule) -> Rule:
    made: Any = rule() if isinstance(rule, type) else rule
    checked: Rule = made
    return checked


def _files(program: Program) -> dict[str, str]:
    files = {"main.py": program} if isinstance(program, str) else program
    return {path: dedent(text) for path, text in files.items()}


def _project(program: Program) -> Project:
    return Project([_parsed(path, text) for path, text in _files(program).items()], roots=("",))


def _parsed(path: str, text: str) -> Source:
    source = check_syntax(Source(path, text))
    if isinstance(source, Skipped):
        raise AssertionError(f"{path} {source.reason}")  # noqa: TRY004 - a test's verdict
    return source


def _engine(rule: Rule) -> Engine:
    others = [each for each in load_rules() if each.code != rule.code]
    return Engine([*others, rule], Settings(adopt=rule.code == ADOPTING_RULE))


def _found(rule: Rule, reports: list[FileReport]) -> list[Finding]:
    for report in reports:
        if report.crash is not None:
            raise AssertionError(f"{report.crash.message}\n{report.crash.traceback}")
    return [each for report in reports for each in report.findings if each.code == rule.code]


def _only(rule: Rule, _program: object, findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.code == rule.code]


def _fixed(rule: Rule, texts: dict[str, str]) -> dict[str, str]:
    engine = _engine(rule)
    for program in _project(texts).programs():
        reports = engine.fix(program, rule.applicability, partial(_only, rule))
        _found(rule, reports)
        new = {report.path: report.new_text for report in reports if report.new_text is not None}
        texts = {**texts, **new}
    return texts


def _difference(wanted: dict[str, str], fixed: dict[str, str]) -> list[str]:
    lines: list[str] = []
    for path in sorted({*wanted, *fixed}):
        before, after = (each.get(path, "").splitlines() for each in (wanted, fixed))
        lines += difflib.unified_diff(before, after, f"{path} as expected", f"{path} as fixed", lineterm="")
    return lines
