"""Programs given as text, run through the tool without a file being touched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from textwrap import dedent

from devfix import engine, registry
from devfix.analysis import analyse
from devfix.analysis.domain.values import Obj, Value
from devfix.analysis.interpreter import Interpreter
from devfix.analysis.library import Library
from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import Recorder
from devfix.config import Settings
from devfix.file_report import FileReport
from devfix.findings import Applicability, Finding, Mismatch
from devfix.project import Program, Project
from devfix.registry import Rule
from devfix.source import Source

Texts = Mapping[str, str]


@cache
def rules() -> tuple[Rule, ...]:
    """The rules that are registered."""
    return tuple(registry.load_rules())


@cache
def _engine(*, adopt: bool) -> engine.Engine:
    """What a run has one of: which rules its settings choose is found out once."""
    return engine.Engine(rules(), replace(Settings(), adopt=adopt))


def project(texts: Texts) -> Project:
    """Files by path, as in a folder of their own."""
    return Project([Source(path, text) for path, text in texts.items()], roots=("",))


def files(*texts: str, **named: str) -> dict[str, str]:
    """The first text is ``main.py``, a named one the module of that name."""
    unnamed = {"main.py" if number == 0 else f"main{number}.py": text for number, text in enumerate(texts)}
    return {
        path: dedent(text)
        for path, text in {**unnamed, **{f"{name}.py": text for name, text in named.items()}}.items()
    }


def program(*texts: str, **named: str) -> Program:
    """One program; its files must import one another."""
    (found,) = project(files(*texts, **named)).programs()
    return found


def analyse_text(*texts: str, **named: str) -> Facts:
    """The facts of a program."""
    return analyse(program(*texts, **named))


def clashes(*texts: str, **named: str) -> list[str]:
    """Each mismatch of a program as ``line: kind``, with the file where it is not ``main.py``.

    What fails in one place for values of several paths is one.
    """
    found = analyse_text(*texts, **named).mismatches()
    keys = (
        (each.path, each.sink, each.operation) if each.get("paths") else index
        for index, each in enumerate(found)
    )
    return [_clash(mismatch) for mismatch in dict(zip(keys, found, strict=True)).values()]


def _clash(mismatch: Mismatch) -> str:
    place = "" if mismatch.path == "main.py" else f"{mismatch.path}:"
    return f"{place}{mismatch.sink.line}: {mismatch.kind}"


class Ending:
    """The state in which the script ``main.py`` ends."""

    def __init__(self, *texts: str, **named: str) -> None:
        self.interpreter = Interpreter(program(*texts, **named), Recorder(), Library())
        self.interpreter.is_script = True
        self._globals = self.interpreter.fresh()
        self.interpreter.execute_file("main.py", self._globals, "__main__")

    def __getitem__(self, name: str) -> Value:
        """What a global name stands for in the end."""
        value = self.interpreter.state.get(self._globals, name)
        assert value is not None, f"{name} is not bound"
        return value

    def object(self, name: str) -> Obj:
        """The heap object that a global name refers to in the end."""
        found = self.interpreter.obj_of(self[name])
        assert found is not None, f"{name} is no reference: {self[name]}"
        return found


def check_texts(texts: Texts, *, adopt: bool = False) -> list[Finding]:
    """The findings in all files."""
    usual = _engine(adopt=adopt)
    reports = _by_path(report for each in project(texts).programs() for report in usual.check(each))
    assert not [report.crash for report in reports if report.crash]
    return [finding for report in reports for finding in report.findings]


def fix_texts(
    texts: Texts, wanted: Applicability = Applicability.SAFE, *, adopt: bool = False
) -> tuple[dict[str, str], list[FileReport]]:
    """How the files read with the wanted fixes, and the reports."""
    usual = _engine(adopt=adopt)
    reports = _by_path(report for each in project(texts).programs() for report in usual.fix(each, wanted))
    assert not [report.crash for report in reports if report.crash]
    changed = {report.path: report.new_text for report in reports if report.new_text is not None}
    return {**texts, **changed}, reports


def _by_path(reports: Iterable[FileReport]) -> list[FileReport]:
    return sorted(reports, key=lambda report: report.path)


def names(findings: Sequence[Finding]) -> set[str]:
    """The rules of some findings."""
    return {finding.rule for finding in findings}
