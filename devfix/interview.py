"""Interview: fixes that somebody at a terminal is asked about, one by one, before any file is written."""

from __future__ import annotations

import difflib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TextIO

from devfix.engine import Engine
from devfix.file_report import FileReport
from devfix.findings import Applicability, Finding
from devfix.fixing import Admits
from devfix.project import Program
from devfix.report.paint import Paint
from devfix.report.question import render_question
from devfix.report.view import View
from devfix.selection import ADOPTING_RULE

_PROMPT = "Make this fix? [y,n,a,q,?] "
_HELP = """\
y - make this fix
n - do not make it
a - make it, and all others of this rule
q - do not make it, and ask no more; what was said yes to is made
? - show this help
Nothing is written before the last question is answered; Control-C ends it all and writes nothing.
"""
#: What a finding is known by on its way through the passes: the file, the rule, its line at the start, and what is blamed.
Key = tuple[str, str, int, str]


@dataclass
class Interview:
    """Asks, and remembers what was said."""

    ask: Callable[[str], str]
    tell: Callable[[str], object]
    paint: Paint = field(default_factory=Paint)
    is_over: bool = False
    _rules: set[str] = field(default_factory=set)
    _answers: dict[Key, bool] = field(default_factory=dict)

    @classmethod
    def at(cls, terminal: TextIO, answers: TextIO, paint: Paint) -> Interview:
        """An interview on a terminal."""

        def ask(prompt: str) -> str:
            terminal.write(prompt)
            terminal.flush()
            # The end of the input is a wish to end.
            return answers.readline() or "q"

        return cls(ask, terminal.write, paint)

    def answer(self, key: Key) -> bool | None:
        """What was said of a fix; None where it was not asked about."""
        if self._answers.get(key) is None and key[1] in self._rules:
            return True
        return self._answers.get(key)

    def question(self, key: Key, shown: str) -> None:
        """Show a fix and ask for it, unless the answer is known."""
        if self.is_over or self.answer(key) is not None:
            return
        self.tell(shown)
        while key not in self._answers and not self.is_over:
            self._take(self.ask(self.paint("bold", _PROMPT)).strip().lower(), key)
        self.tell("\n")

    def _take(self, word: str, key: Key) -> None:
        if word in ("y", "yes", "a", "all"):
            self._answers[key] = True
            if word.startswith("a"):
                self._rules.add(key[1])
        elif word in ("n", "no"):
            self._answers[key] = False
        elif word in ("q", "quit"):
            self.is_over = True
        else:
            self.tell(_HELP)


@dataclass(frozen=True)
class AskingEngine(Engine):
    """An engine that fixes what somebody says yes to: the result is that of ``fix`` with just these admitted."""

    interview: Interview = field(kw_only=True)

    @classmethod
    def of(cls, engine: Engine, interview: Interview) -> AskingEngine:
        """An engine with the rules and settings of another."""
        values = {each.name: getattr(engine, each.name) for each in fields(Engine)}
        return cls(**values, interview=interview)

    def fix(self, program: Program, wanted: Applicability, admits: Admits | None = None) -> list[FileReport]:
        """As that of ``Engine``, of the findings that somebody says yes to."""
        lives = _Lives(program)

        def said(now: Program, findings: Sequence[Finding], answers: set[bool | None]) -> list[Finding]:
            allowed = findings if admits is None else admits(now, findings)
            return [each for each in allowed if self.interview.answer(lives.key(each, now)) in answers]

        def said_yes(now: Program, findings: Sequence[Finding]) -> list[Finding]:
            return said(now, findings, {True})

        def not_refused(now: Program, findings: Sequence[Finding]) -> list[Finding]:
            return said(now, findings, {True, None})

        reports = super().fix(program, wanted, said_yes)
        while not self.interview.is_over:
            now = _after(program, reports)
            fresh = [
                finding
                for finding in self.offered(now, wanted, not_refused)
                if self.interview.answer(lives.key(finding, now)) is None
            ]
            if not fresh:
                break
            self._ask(fresh, now, lives)
            reports = super().fix(program, wanted, said_yes)
        return reports

    def _ask(self, findings: Sequence[Finding], now: Program, lives: _Lives) -> None:
        view = View(self.interview.paint, edited=self.edited)
        for finding in findings:
            key = lives.key(finding, now)
            self.interview.question(key, render_question(finding, now.sources.get, view))


def _after(program: Program, reports: Sequence[FileReport]) -> Program:
    """The program with the fixes that were made."""
    texts = {report.path: report.new_text for report in reports if report.new_text is not None}
    adopted = any(finding.code == ADOPTING_RULE for report in reports for finding in report.fixed)
    after = program.with_texts(texts)
    return replace(after, adopts=True) if adopted else after


@dataclass(frozen=True)
class _Lives:
    """What findings of a program are known by, however far its fixes have come."""

    start: Program

    def key(self, finding: Finding, now: Program) -> Key:
        """The same for a finding before and after other fixes."""
        source = now.sources[finding.path]
        blamed = source.segment(finding.focus or finding.span)
        line = self._line_at_start(finding.path, source.text, finding.span.line)
        return (finding.path, finding.code, line, blamed)

    def _line_at_start(self, path: str, text: str, line: int) -> int:
        before = self.start.sources[path].text
        if text == before:
            return line
        if (path, text) not in self._lines:
            self._lines[path, text] = _lines_at_start(before, text)
        return self._lines[path, text][line - 1]

    @cached_property
    def _lines(self) -> dict[tuple[str, str], list[int]]:
        return {}


def _lines_at_start(before: str, after: str) -> list[int]:
    """For each line of a text the line of an earlier text that it comes from, or that it stands beside."""
    old, new = (list(io.StringIO(text, newline="")) for text in (before, after))
    found: list[int] = []
    for _, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        found += [min(i1 + number, max(i2 - 1, i1)) + 1 for number in range(j2 - j1)]
    return found
