"""Judgement: what the rules say of a program, after suppressions."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from devfix.findings import Applicability, FileEdit, Finding, Fix, Note, ReplaceComment, Span
from devfix.prefilter import imports_tensors
from devfix.project import Program
from devfix.registry import Rule
from devfix.selection import Selection, names_rule
from devfix.source import Source
from devfix.suppression import Suppression
from devfix.timing import ANALYSIS, RULES, spent_on

#: Of how many ways to one fault a finding tells.
_WAYS_TOLD = 3

#: What turns a program into the facts that rules look at.
Analyse = Callable[[Program], Any]


class UnusedSuppression:
    """A suppressing comment that suppresses nothing hides the next fault on its line.

    A comment such as ``# devfix: ignore[DF102]`` stays behind when the fault it was written for
    is gone, or names a rule that does not exist. Comments that devfix cannot read are reported too.

    The fix takes the comment away, or those of its names that suppress nothing.
    """

    code = "DF901"
    name = "unused-suppression"
    applicability = Applicability.SAFE

    def check(self, facts: Any) -> Iterator[Finding]:  # noqa: ARG002 - the interface of rules
        """Nothing: only when all other rules have spoken is it known what a comment suppressed."""
        return iter(())


@dataclass(frozen=True, slots=True)
class RuleFailure:
    """What a rule raised instead of looking at a program: a defect of the rule."""

    code: str
    message: str
    traceback: str


@dataclass(frozen=True)
class Judgement:
    """The findings to report, in order, and how many were suppressed in each file."""

    findings: tuple[Finding, ...]
    suppressed: Mapping[str, int]
    #: Moves that move nothing, by file and place.
    idle: frozenset[tuple[str, Span]] = frozenset()
    #: The rules that failed on the program: the others have spoken all the same.
    failures: tuple[RuleFailure, ...] = ()
    #: What of each file was not analysed to the end.
    unfinished: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def failed(self) -> frozenset[str]:
        """The codes of the rules that failed."""
        return frozenset(failure.code for failure in self.failures)

    def counts(self, ignoring: Iterable[str]) -> Counter[str]:
        """How many findings each rule has, but for the codes in ``ignoring``."""
        left_out = frozenset(ignoring)
        return Counter(finding.code for finding in self.findings if finding.code not in left_out)


def judge(program: Program, selection: Selection, analyse: Analyse) -> Judgement:
    """Run the rules on a program."""
    with spent_on(ANALYSIS):
        facts: Any = analyse(program) if is_relevant(program) else None
    failures: list[RuleFailure] = []
    findings = _as_one(sorted(_findings(program, selection, facts, failures), key=_order))
    unfinished: Mapping[str, tuple[str, ...]] = facts.unfinished() if hasattr(facts, "unfinished") else {}
    ledger = _Ledger(
        program, selection, frozenset(failure.code for failure in failures), frozenset(unfinished)
    )
    reported = [finding for finding in findings if not ledger.suppresses(finding)]
    reported.extend(ledger.unused())
    with spent_on(ANALYSIS):
        idle = frozenset(facts.idle_moves()) if hasattr(facts, "idle_moves") else frozenset()
    return Judgement(
        tuple(sorted(reported, key=_order)), ledger.suppressed, idle, tuple(failures), unfinished
    )


def is_relevant(program: Program) -> bool:
    """Whether the program can have anything to do with accelerators; cheap, and before any parsing."""
    return any(imports_tensors(source.text.encode(errors="replace")) for source in program.sources.values())


def _findings(
    program: Program, selection: Selection, facts: Any, failures: list[RuleFailure]
) -> dict[Finding, None]:
    """What the rules say, each thing once and in the order in which they say it, which two runs have in common."""
    found: dict[Finding, None] = {}
    if facts is None:
        return found
    for rule in selection.active_in(program.targets):
        try:
            with spent_on(RULES, rule.code):
                said = list(rule.check(facts))
        except (MemoryError, RecursionError):
            raise  # the program is too large or nested too deeply, and for all rules
        except Exception as error:  # noqa: BLE001 - a defect of one rule must not silence the others
            failures.append(_failure(rule, error))
            continue
        found.update(
            (selection.adjusted(_within(program, finding)), None)
            for finding in said
            if finding.path in program.targets and selection.allows(finding.path, finding.code, finding.rule)
        )
    return found


def _as_one(findings: Iterable[Finding]) -> list[Finding]:
    """Findings that differ only in where an operand comes from as one, which tells of the first few of them.

    A tensor that reaches one place in ten ways is one fault to a reader, and one fix mends it.
    """
    merged: dict[Finding, Finding] = {}
    ways: Counter[Finding] = Counter()
    for finding in findings:
        key = replace(finding, notes=(), alternatives=())
        known = merged.setdefault(key, finding)
        ways[key] += 1
        if known is not finding and ways[key] <= _WAYS_TOLD:
            notes = tuple(dict.fromkeys((*known.notes, *finding.notes)))
            merged[key] = replace(known, notes=notes)
    return list(merged.values())


def _failure(rule: Rule, error: Exception) -> RuleFailure:
    place = f"{rule.code} {rule.name} ({type(rule).__module__})"
    return RuleFailure(rule.code, f"{place} failed: {type(error).__name__}: {error}", traceback.format_exc())


def _within(program: Program, finding: Finding) -> Finding:
    """The finding without those fixes that would write to files that were not named."""
    fixes = () if finding.fix is None else (finding.fix, *finding.alternatives)
    allowed = [fix for fix in fixes if _foreign(program, fix) == []]
    if len(allowed) == len(fixes):
        return finding
    if allowed:
        return replace(finding, fix=allowed[0], alternatives=tuple(allowed[1:]))
    text = f"the fix would also change {', '.join(_foreign(program, fixes[0]))}, which this run may not write"
    note = Note(finding.path, finding.span, text)
    return replace(finding, fix=None, alternatives=(), notes=(*finding.notes, note))


def _foreign(program: Program, fix: Fix) -> list[str]:
    return sorted({edit.path for edit in fix.edits} - program.targets)


def _order(finding: Finding) -> tuple[object, ...]:
    title = finding.fix.title if finding.fix else ""
    return (finding.path, finding.span, finding.code, finding.message, title)


class _Ledger:
    """Which comment suppressed what."""

    def __init__(
        self, program: Program, selection: Selection, failed: frozenset[str], unfinished: frozenset[str]
    ) -> None:
        self.program = program
        self.selection = selection
        self.failed = failed
        #: Files in which a comment may suppress what was not found.
        self.unfinished = unfinished
        self.suppressed: Counter[str] = Counter()
        self._used: set[tuple[str, Suppression, str]] = set()

    def suppresses(self, finding: Finding) -> bool:
        """Whether a comment silences ``finding``; every comment that does is marked as used."""
        hits = [
            (finding.path, comment, selector)
            for comment in self._comments(finding.path)
            if comment.covers(finding.span)
            for selector in comment.rules or ("",)
            if not selector or names_rule(selector, finding.code, finding.rule)
        ]
        self._used.update(hits)
        self.suppressed[finding.path] += bool(hits)
        return bool(hits)

    def _comments(self, path: str) -> list[Suppression]:
        return [comment for comment in self.program.sources[path].suppressions if not comment.malformed]

    def unused(self) -> Iterator[Finding]:
        """Comments that cannot be read, and those that silence nothing, which is known when all rules spoke."""
        for path in sorted(self.program.targets):
            if self.selection.allows(path, UnusedSuppression.code, UnusedSuppression.name):
                yield from map(self.selection.adjusted, self._unused_in(self.program.sources[path]))

    def _unused_in(self, source: Source) -> Iterator[Finding]:
        for comment in source.suppressions:
            if comment.malformed:
                message = (
                    f"`{comment.text}` is not a comment devfix understands; write `# devfix: ignore[CODE]`"
                )
                yield _report(source.path, comment, message, None)
            elif self.failed or source.path in self.unfinished or not self.selection.is_complete:
                continue
            elif not comment.rules:
                if self.selection.is_default(source.path) and not self._is_used(source.path, comment, ""):
                    yield _stale(source.path, comment, comment.rules)
            else:
                stale = tuple(name for name in comment.rules if self._is_stale(source.path, comment, name))
                if stale:
                    meant = next(filter(None, map(self.selection.of_unknown, stale)), "")
                    yield _stale(source.path, comment, stale, meant)
                elif len(set(comment.rules)) < len(comment.rules):
                    yield _repeated(source.path, comment)

    def _is_used(self, path: str, comment: Suppression, selector: str) -> bool:
        return (path, comment, selector) in self._used

    def _is_stale(self, path: str, comment: Suppression, selector: str) -> bool:
        return self.selection.judges(path, selector) and not self._is_used(path, comment, selector)


def _stale(path: str, comment: Suppression, stale: tuple[str, ...], meant: str = "") -> Finding:
    """The finding that ``stale`` of the comment's names do nothing; ``meant`` says what one of them may stand for."""
    more = f": {meant}" if meant else ""
    kept = list(dict.fromkeys(name for name in comment.rules if name not in stale))
    listed = ", ".join(f"`{name}`" for name in stale)
    if not kept:
        return _report(
            path, comment, f"`{comment.text}` suppresses nothing{more}", ("remove the comment", "")
        )
    message = f"{listed} in `{comment.text}` suppresses nothing{more}"
    return _report(path, comment, message, (f"remove {listed} from the comment", _with_rules(comment, kept)))


def _repeated(path: str, comment: Suppression) -> Finding:
    """The finding that a comment names a rule more than once."""
    kept = list(dict.fromkeys(comment.rules))
    listed = ", ".join(f"`{name}`" for name in kept if comment.rules.count(name) > 1)
    message = f"{listed} is more than once in `{comment.text}`"
    return _report(path, comment, message, (f"keep {listed} once", _with_rules(comment, kept)))


def _with_rules(comment: Suppression, rules: Iterable[str]) -> str:
    """The text of a comment with other names; the reason behind them stays."""
    before, _, rest = comment.text.partition("[")
    return f"{before}[{', '.join(rules)}]{rest.partition(']')[2]}"


def _report(path: str, comment: Suppression, message: str, change: tuple[str, str] | None) -> Finding:
    fix = None
    if change is not None:
        title, text = change
        edit = FileEdit(path, ReplaceComment(comment.span, text))
        fix = Fix(title, (edit,), UnusedSuppression.applicability)
    return Finding(path, comment.span, UnusedSuppression.code, UnusedSuppression.name, message, fix=fix)
