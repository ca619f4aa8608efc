"""Interview: fixes that somebody at a terminal is asked about, one by one, before any file is written."""

from __future__ import annotations

import io
import select
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TextIO

from devfix.deeds import changes_of, fixes_of
from devfix.differences import lines_before
from devfix.engine import Engine
from devfix.findings import Applicability, Finding
from devfix.fixing import Admits
from devfix.project import Program
from devfix.report.paint import Paint
from devfix.report.question import render_question
from devfix.report.view import View
from devfix.states import State

_PROMPT = "Make this fix? [y,n,a,q,?] "
_SECONDS_BETWEEN_LOOKS = 0.2
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
#: What a fix does.
Deed = frozenset[tuple[object, ...]]


@dataclass
class Interview:
    """Asks, and remembers what was said."""

    ask: Callable[[str], str]
    tell: Callable[[str], object]
    paint: Paint = field(default_factory=Paint)
    is_over: bool = False
    _rules: set[str] = field(default_factory=set)
    _made: dict[Key, list[Deed]] = field(default_factory=dict)
    _refused: set[Key] = field(default_factory=set)

    @classmethod
    def at(cls, terminal: TextIO, answers: TextIO, paint: Paint) -> Interview:
        """An interview on a terminal."""

        def ask(prompt: str) -> str:
            terminal.write(prompt)
            terminal.flush()
            _wait_for_line(answers)
            # The end of the input is a wish to end.
            return answers.readline() or "q"

        return cls(ask, terminal.write, paint)

    def answer(self, key: Key, deed: Deed) -> bool | None:
        """What was said of a fix, or of more that holds all of it; None where it was not asked about.

        Who has said no to one fix of a finding is not asked about another one.
        """
        if any(deed <= made for made in self._made.get(key, ())):
            return True
        if key in self._refused:
            return False
        return True if key[1] in self._rules else None

    def question(self, key: Key, deed: Deed, shown: str) -> None:
        """Show a fix and ask for it, unless the answer is known."""
        if self.is_over or self.answer(key, deed) is not None:
            return
        self.tell(shown)
        while self.answer(key, deed) is None and not self.is_over:
            self._take(self.ask(self.paint("bold", _PROMPT)).strip().lower(), key, deed)
        self.tell("\n")

    def _take(self, word: str, key: Key, deed: Deed) -> None:
        if word in ("y", "yes", "a", "all"):
            self._made.setdefault(key, []).append(deed)
            if word.startswith("a"):
                self._rules.add(key[1])
        elif word in ("n", "no"):
            self._refused.add(key)
        elif word in ("q", "quit"):
            self.is_over = True
        else:
            self.tell(_HELP)


def _wait_for_line(answers: TextIO) -> None:
    """Return when there is a line to read, or the end.

    Control-C that is typed right before a read begins would be heard only after the next line, so none begins early.
    """
    while sys.platform != "win32" and not select.select([answers], [], [], _SECONDS_BETWEEN_LOOKS)[0]:
        pass


@dataclass(frozen=True)
class AskingEngine(Engine):
    """An engine that fixes what somebody says yes to: the result is that of ``fix`` with just these admitted."""

    interview: Interview = field(kw_only=True)

    @classmethod
    def of(cls, engine: Engine, interview: Interview) -> AskingEngine:
        """An engine with the rules and settings of another."""
        values = {each.name: getattr(engine, each.name) for each in fields(Engine)}
        return cls(**values, interview=interview)

    def end_of(self, start: State, wanted: Applicability, admits: Admits | None) -> State:
        """As that of ``Engine``, of what somebody says yes to.

        What all that is not refused leads to is shown fix by fix, each as it would be made, until all of that is agreed to.
        """
        while True:
            is_over = self.interview.is_over
            sight = _Sight(self.interview, _Lives(start.program), admits)
            end = super().end_of(start, wanted, sight.admitted)
            asked = sight.unanswered(end.fixed)
            if is_over or not asked:
                return end
            self._ask(asked)

    def _ask(self, asked: Sequence[_Asked]) -> None:
        """Ask about each fix, but about none that follows on one that is refused."""
        view = View(self.interview.paint, edited=self.edited)
        turn = None
        for each in asked:
            if turn is not None and each.turn > turn:
                return
            shown = render_question(each.finding, each.now.sources.get, view)
            self.interview.question(each.key, each.deed, shown)
            if self.interview.is_over:
                return
            if not self.interview.answer(each.key, each.deed):
                turn = each.turn


@dataclass(frozen=True)
class _Asked:
    """A fix to ask about, in the program that it is made in, which was the so manyth."""

    finding: Finding
    now: Program
    turn: int
    key: Key
    deed: Deed


@dataclass
class _Sight:
    """What fixing sees of a program on its way, without what was refused."""

    interview: Interview
    lives: _Lives
    admits: Admits | None
    _seen: dict[Finding, list[tuple[int, Program, Finding]]] = field(default_factory=dict)
    _turns: int = 0

    def admitted(self, now: Program, findings: Sequence[Finding]) -> list[Finding]:
        """The findings with the fixes that may be made; when nothing is asked any more, with those that were agreed to."""
        self._turns += 1
        found = []
        for finding in findings if self.admits is None else self.admits(now, findings):
            key = self.lives.key(finding, now)
            fixes = [fix for fix in fixes_of(finding) if self._may_be_made(key, changes_of(now, fix))]
            if fixes:
                found.append(replace(finding, fix=fixes[0], alternatives=tuple(fixes[1:])))
                self._seen.setdefault(_bare(finding), []).append((self._turns, now, found[-1]))
        return found

    def _may_be_made(self, key: Key, what: Deed) -> bool:
        answer = self.interview.answer(key, what)
        return not self.interview.is_over if answer is None else answer

    def unanswered(self, fixed: Sequence[Finding]) -> list[_Asked]:
        """What was fixed and nobody was asked about, in the order in which it came up."""
        found = []
        for finding in fixed:
            turn, now = self._place(finding)
            key, what = self.lives.key(finding, now), changes_of(now, finding.fix)
            if self.interview.answer(key, what) is None:
                found.append(_Asked(finding, now, turn, key, what))
        return sorted(found, key=lambda each: (each.turn, each.finding.path, each.finding.span.start))

    def _place(self, fixed: Finding) -> tuple[int, Program]:
        """Where a finding was met that has this fix, or one that this one is a part of."""
        edits = set(fixed.fix.edits) if fixed.fix is not None else set()
        met = self._seen[_bare(fixed)]
        whole = (each for each in met if any(edits <= set(fix.edits) for fix in fixes_of(each[-1])))
        turn, now, _ = next(whole, met[0])
        return turn, now


def _bare(finding: Finding) -> Finding:
    return replace(finding, fix=None, alternatives=())


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
            old, new = (list(io.StringIO(each, newline="")) for each in (before, text))
            self._lines[path, text] = lines_before(old, new)
        return self._lines[path, text][line - 1]

    @cached_property
    def _lines(self) -> dict[tuple[str, str], list[int]]:
        return {}
