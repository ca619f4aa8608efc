"""A toy analysis, rules and rewriting, so that the engine is tested without the real ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from devfix.config import Settings
from devfix.engine import Engine, Rewriting
from devfix.findings import (
    Applicability,
    Edit,
    FileEdit,
    Finding,
    Fix,
    InsertBefore,
    Note,
    ReplaceExpression,
    Span,
)
from devfix.project import Program, Project
from devfix.registry import Rule
from devfix.source import Source

SAFE, UNSAFE, DISPLAY = Applicability.SAFE, Applicability.UNSAFE, Applicability.DISPLAY


class ToyEditError(Exception):
    """What the toy rewriting raises."""


@dataclass
class WordRule:
    """Finds a word in every file and replaces it; files that never say torch are left alone."""

    code: str
    word: str
    replacement: str | None = None
    applicability: Applicability = SAFE
    name: str = ""

    def __post_init__(self) -> None:
        self.name = self.name or f"{self.word}-found"

    def check(self, program: Program) -> Iterator[Finding]:
        for path, source in program.sources.items():
            for number, line in enumerate(source.lines, 1):
                for match in re.finditer(rf"\b{self.word}\b", line.partition("#")[0]):
                    yield self.finding(path, Span(number, match.start(), number, match.end()))

    def finding(self, path: str, span: Span) -> Finding:
        marks = (Note(path, span, "on cpu"),)
        fix = None
        if self.replacement is not None:
            edits = (FileEdit(path, ReplaceExpression(span, self.replacement)),)
            fix = Fix(f"write {self.replacement}", edits, self.applicability)
        message = f"`{self.word}` is on the CPU"
        return Finding(path, span, self.code, self.name, message, marks=marks, fix=fix)


@dataclass
class FixRule:
    """Gives whatever fixes a function makes of a program."""

    code: str
    make: Callable[[Program], Iterator[tuple[Span, Fix | None]]]
    path: str = "a.py"
    applicability: Applicability = SAFE
    name: str = field(default="custom")

    def check(self, program: Program) -> Iterator[Finding]:
        for span, fix in self.make(program):
            yield Finding(self.path, span, self.code, self.name, "custom message", fix=fix)


def toy_edits(text: str, edits: Sequence[Edit]) -> str:
    """Replaces expressions and inserts lines, from the last to the first."""
    lines = text.splitlines(keepends=True)
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):  # type: ignore[union-attr]
        if isinstance(edit, InsertBefore):
            lines.insert(edit.span.line - 1, edit.code + "\n")
            continue
        if not isinstance(edit, ReplaceExpression) or edit.code == "ERROR":
            raise ToyEditError("no")
        line = lines[edit.span.line - 1]
        lines[edit.span.line - 1] = line[: edit.span.column] + edit.code + line[edit.span.end_column :]
    return "".join(lines)


def toy_engine(*rules: Rule, settings: Settings | None = None) -> Engine:
    rewriting = Rewriting(toy_edits, ToyEditError)
    return Engine(rules, settings or Settings(), identity, rewriting)


def identity(program: Program) -> Program:
    return program


def toy_program(texts: dict[str, str] | str, targets: list[str] | None = None) -> Program:
    """One program; its files import each other by a first line that each of them gets."""
    if isinstance(texts, str):
        texts = {"a.py": texts}
    (program,) = Project([Source(path, text) for path, text in texts.items()], targets=targets).programs()
    return program
