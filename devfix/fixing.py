"""Fixing: applying fixes until none is left, without making anything worse."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from devfix.batch import ApplyEdits, choose, in_turn, texts_after
from devfix.deeds import Identity, Named, fixes_of, identity_of, inserts_alone, is_in_vain, named
from devfix.endless import MAX_PASSES, NotConvergingError, Step
from devfix.file_report import Skipped
from devfix.findings import Applicability, Finding, Fix, Note
from devfix.judgement import Judgement, UnusedSuppression
from devfix.kinship import are_kin, in_common, may_follow, parts_of
from devfix.project import Program
from devfix.selection import ADOPTING_RULE, Selection
from devfix.source import REFUSED, check_syntax
from devfix.states import (
    State,
    cost,
    hides,
    identities_of,
    known_of,
    late_turns,
    lines_changed,
    may_adopt,
    moves_by_itself,
    shows_nothing_new,
    texts_of,
)
from devfix.tidying import tidied

_HARMFUL = "it would break the file or cause other findings"
_ENDLESS = "what follows on it comes to no end"
_UNDONE = "another fix would undo it, without end"

#: What may follow on the first state, given what a fix made of it: that, what it leads to, or nothing.
Accepts = Callable[[State, State], State | None]
#: Says which findings of a program are to be fixed.
Admits = Callable[[Program, Sequence[Finding]], Iterable[Finding]]


@dataclass
class Fixer:
    """Applies the wanted fixes of one program.

    First all fixes are applied freely, since a fault that hid others may well show new ones that
    the next pass fixes. Only when the end is worse than the start does each step have to prove
    itself, and the fixes that do damage are withheld. When more was fixed than was found, fixes may
    have made work for each other: a way that shows nothing new on it is taken if it is shorter.
    """

    judge: Callable[[Program], Judgement]
    apply_edits: ApplyEdits
    edit_error: type[Exception]
    selection: Selection
    wanted: Applicability
    admits: Admits = lambda _program, findings: findings
    _withheld: dict[Identity, str] = field(default_factory=dict)
    _obstacle: str = ""
    #: Why no device is adopted.
    _declined: str = ""
    #: Findings that are not fixed, since their fixes undo each other.
    _undone: frozenset[Named] = frozenset()
    _seen: set[frozenset[tuple[str, str]]] = field(default_factory=set)

    def run(self, start: State) -> State:
        """The state in which no wanted fix is left; raises NotConvergingError."""
        end = self._peaceful_end(start)
        first = [fixed for fixed, home in zip(end.fixed, end.homes, strict=True) if home is start.program]
        if are_kin(first) and not start.program.adopts:
            end = self._by_one(start, end)
        if may_follow(end.fixed, start.program.sources) and not start.program.adopts:
            end = self._by_fewer(start, end)
        end = self._by_part(start, end)
        tidy = self._tidied(start, end)
        # What moves as a whole now has parts that moved before.
        end = self._tidied(start, tidy) if tidy is not end and tidy.judgement.idle else tidy
        return replace(end, judgement=self._with_notes(end))

    def _peaceful_end(self, start: State) -> State:
        """Where the fixes lead without a device that leads nowhere, and those that undo each other; raises NotConvergingError."""
        try:
            return self._end(start)
        except NotConvergingError as error:
            if may_adopt(start) and not self._declined:
                self._declined = _ENDLESS
            elif error.undone and not self._undone:
                self._undone = error.undone
            else:
                raise
        return self._peaceful_end(start)

    def _end(self, start: State) -> State:
        """Where the fixes lead that make nothing worse; raises NotConvergingError."""
        try:
            end = self._settle(start, _freely)
        except NotConvergingError:
            # What makes work without end is not done, and a device that leads nowhere is not adopted.
            end = self._settle(start, self._harmless)
        if end.program.adopts and self._is_worse(start.judgement, end.judgement):
            end = self._settle(start, self._leads_on)
        if self._is_worse(start.judgement, end.judgement):
            return self._carefully(start)
        if len(end.fixed) > len(start.judgement.findings) and not end.program.adopts:
            return self._shorter(start, end)
        return end

    def _carefully(self, start: State, rounds: int = MAX_PASSES) -> State:
        """Where steps lead of which none makes anything worse, and what can be done freely from there.

        A fix that did damage may do none once others are made, so the way ends where it begins.
        """
        end = self._settle(start, self._harmless)
        if end.program is start.program or not rounds:
            return end
        withheld = self._withheld
        try:
            further = self._settle(end, _freely)
        except NotConvergingError:
            further = end
        if self._is_worse(end.judgement, further.judgement):
            return self._carefully(end, rounds - 1)
        if further.program is end.program:
            self._withheld = withheld
        return further

    def _harmless(self, before: State, after: State) -> State | None:
        """What makes nothing worse: what a fix led to, if need be with the fixes of what it shows."""
        shown = identities_of(before)
        for _ in range(MAX_PASSES):
            if not self._is_worse(before.judgement, after.judgement):
                return after
            fresh = [
                finding
                for finding in self._candidates(after)
                if identity_of(after.program, finding, 0) not in shown
            ]
            following = self._attempt(after, choose(in_turn(fresh))) if fresh else None
            if following is None:
                return None
            after = following
        return None

    def _tidied(self, start: State, end: State) -> State:
        """The end with what fixes wrote in vain taken back, where that shows nothing new."""
        needless = end.judgement.idle
        for idle, at_top in ((needless, True), (needless, False), (frozenset(), False)):
            texts = tidied(start.program.sources, end.program.sources, idle, at_top=at_top)
            if not texts:
                return end
            program = end.program.with_texts(texts)
            if any(isinstance(check_syntax(program.sources[path]), Skipped) for path in texts):
                continue
            after = replace(end, program=program, judgement=self.judge(program))
            if not self._is_worse(end.judgement, after.judgement):
                return after
        return end

    def mended(self, start: State, finding: Finding) -> Program | None:
        """The program after one finding's fix alone, or None where none of its fixes does anything.

        A fix that shows other faults is taken only where each does: those are there to be fixed next.
        """
        fallback = None
        fixes = [fix for fix in fixes_of(finding) if fix.applicability >= self.wanted]
        for fix in fixes:
            alone = replace(finding, fix=fix, alternatives=())
            program = self._rewritten(start.program, [alone])
            if program is None:
                continue
            if len(fixes) == 1 and not inserts_alone(fix):
                return program  # there is no choice to be made
            after = State(program, self.judge(program))
            if is_in_vain(known_of(start), known_of(after), [alone]):
                continue
            if not self._is_worse(start.judgement, after.judgement):
                return program
            fallback = fallback or program
        return fallback

    def _shorter(self, start: State, end: State) -> State:
        """The end of a way without detours, if it leads as far as ``end`` with fewer lines and no more cost."""
        withheld = self._withheld
        try:
            other = self._settle(start, _straight)
        except NotConvergingError:
            other = end
        no_dearer = cost(start, other) <= cost(start, end) and late_turns(other) <= late_turns(end)
        if no_dearer and self._is_shorter(start, other, end):
            return other
        self._withheld = withheld
        return end

    def _by_one(self, start: State, end: State) -> State:
        """The end of a way that begins with one fix alone, if it leads as far as ``end`` and changes fewer lines."""
        best, candidates = end, self._candidates(start)
        common = in_common(start.judgement.findings, self.wanted)
        for finding in (*candidates, *(common if len(candidates) == len(start.judgement.findings) else ())):
            after = self._attempt(start, [finding])
            if after is not None and len(end.fixed) > len(candidates):
                after = self._further(after)
            if after is None or hides(start, after) or self._is_worse(end.judgement, after.judgement):
                continue
            if lines_changed(start, after) < lines_changed(start, best):
                best = after
                if lines_changed(start, best) == 1:
                    break
        return best

    def _further(self, state: State) -> State:
        """Where the fixes of a state lead that others have led to, or the state itself where that comes to no end."""
        withheld = self._withheld
        try:
            return self._settle(state, _freely)
        except NotConvergingError:
            return state
        finally:
            self._withheld = withheld

    def _by_fewer(self, start: State, end: State) -> State:
        """The same end without the fixes of findings that the others do away with."""
        batch = list(end.fixed)
        if not set(batch) <= self._candidates(start).keys():
            return end  # some were found on the way
        for finding in end.fixed:
            fewer = [each for each in batch if each != finding]
            after = self._attempt(start, fewer) if fewer else None
            if after is None or (hides(start, after) and not moves_by_itself(after, end)):
                continue
            if self._is_shorter(start, after, end):
                batch, end = fewer, after
        return end

    def _by_part(self, start: State, end: State) -> State:
        """The same end by a part of what one fix does in several places, where one of those does for the others."""
        batch = list(self._candidates(start))
        if len(batch) != len(end.fixed) or end.program.adopts:
            return end
        for number, parts in enumerate([parts_of(each, start.judgement.findings) for each in batch]):
            for part in parts:
                after = self._attempt(start, [*batch[:number], part, *batch[number + 1 :]])
                if after is not None and self._is_shorter(start, after, end):
                    return after
        return end

    def _is_shorter(self, start: State, other: State, end: State) -> bool:
        """Whether a way leads as far as ``end`` and changes fewer lines."""
        fewer = lines_changed(start, other) < lines_changed(start, end)
        return fewer and not self._is_worse(end.judgement, other.judgement)

    def _settle(self, state: State, accepts: Accepts) -> State:
        self._withheld, self._seen = {}, set()
        passes, steps = 0, 0
        way: list[Step] = []
        patience = 4 * len(state.judgement.findings) + MAX_PASSES
        while candidates := self._candidates(state):
            batch = choose(in_turn(candidates))
            if passes >= MAX_PASSES * (1 + state.program.adopts) or steps >= patience:
                raise NotConvergingError(way, state)
            before = state
            state, taken = self._step(before, batch, candidates, accepts)
            if taken:
                way.append((texts_of(before.program), {named(candidates[each]) for each in batch[:taken]}))
            passes += taken == len(batch)
            steps += 1
        return state

    def _step(
        self, state: State, batch: list[Finding], candidates: dict[Finding, Identity], accepts: Accepts
    ) -> tuple[State, int]:
        """The state after as much of ``batch`` as does no damage, and how much that was; one fix that does is withheld."""
        while True:
            after = self._attempt(state, batch, sum(candidates[finding][-1] > 0 for finding in batch))
            after = accepts(state, after) if after is not None else None
            if after is not None and not (
                is_in_vain(known_of(state), known_of(after), batch)
                or self._goes_round(state, after, candidates[batch[0]])
            ):
                return after, len(batch)
            if len(batch) == 1:
                self._withheld[candidates[batch[0]]] = self._obstacle or _HARMFUL
                return state, 0
            batch = batch[: len(batch) // 2]

    def _goes_round(self, state: State, after: State, identity: Identity) -> bool:
        """Whether a fix takes back what others did, while its finding could be fixed in another way."""
        self._seen.add(texts_of(state.program))
        if texts_of(after.program) not in self._seen:
            return False
        return any(
            identity_of(state.program, finding, identity[-1]) == identity
            and len(fixes_of(finding)) > identity[-1] + 1
            for finding in state.judgement.findings
        )

    def _attempt(self, state: State, batch: list[Finding], second_choices: int = 0) -> State | None:
        """The state after ``batch``, or None when it breaks a file or changes nothing."""
        program = self._rewritten(state.program, batch)
        if program is None:
            return None
        fixed, homes = (*state.fixed, *batch), (*state.homes, *[state.program] * len(batch))
        return State(program, self.judge(program), fixed, homes, state.second_choices + second_choices)

    def _rewritten(self, before: Program, batch: list[Finding]) -> Program | None:
        self._obstacle = ""
        try:
            with warnings.catch_warnings():
                # Parsing the user's text may warn, say, of an invalid escape; that is not ours to print.
                warnings.simplefilter("ignore")
                texts = texts_after(before, batch, self.apply_edits)
        except self.edit_error:
            return None
        program = before.with_texts(texts)
        if any(finding.code == ADOPTING_RULE for finding in batch):
            program = replace(program, adopts=True)
        changed = [path for path in texts if program.sources[path] is not before.sources[path]]
        checked = [check_syntax(program.sources[path]) for path in changed]
        broken = [each for each in checked if isinstance(each, Skipped)]
        if not changed or broken:
            self._obstacle = next((each.reason for each in broken if each.reason.startswith(REFUSED)), "")
            return None
        return program

    def _candidates(self, state: State) -> dict[Finding, Identity]:
        """Each finding with the first fix that is wanted and not withheld, and what identifies the two."""
        found = {}
        for finding in self.admits(state.program, state.judgement.findings):
            for number, fix in enumerate(fixes_of(finding)):
                identity = identity_of(state.program, finding, number)
                if self._wants(finding, fix) and not self._reason(identity):
                    found[replace(finding, fix=fix, alternatives=())] = identity
                    break
        return found

    def _wants(self, finding: Finding, fix: Fix) -> bool:
        adopts = finding.code == ADOPTING_RULE and fix.applicability > Applicability.DISPLAY
        return adopts or fix.applicability >= self.wanted

    def _leads_on(self, before: State, after: State) -> State | None:
        """What leaves no more findings without a fix than before, as they are at the end of a blind alley."""
        stuck, still = (
            sum(
                not any(self._wants(finding, fix) for fix in fixes_of(finding))
                for finding in state.judgement.findings
            )
            for state in (before, after)
        )
        return after if still <= stuck else None

    def _is_worse(self, before: Judgement, after: Judgement) -> bool:
        """Whether a rule has more findings than before, or fails now; advice does not count."""
        advice = {rule.code for rule in self.selection.rules if rule.applicability == Applicability.DISPLAY}
        advice.add(UnusedSuppression.code)
        return bool(after.counts(advice) - before.counts(advice) or after.failed - before.failed)

    def _with_notes(self, state: State) -> Judgement:
        findings = tuple(self._shown(state.program, finding) for finding in state.judgement.findings)
        return replace(state.judgement, findings=findings)

    def _reason(self, identity: Identity) -> str:
        """Why a fix is withheld; nothing where it is not."""
        if named(identity) in self._undone:
            return _UNDONE
        declined = self._declined if identity[1] == ADOPTING_RULE else ""
        return declined or self._withheld.get(identity, "")

    def _shown(self, program: Program, finding: Finding) -> Finding:
        """The finding without its withheld fixes; when it has no other, the first stays for show only."""
        fixes = fixes_of(finding)
        left = [
            fix for number, fix in enumerate(fixes) if not self._reason(identity_of(program, finding, number))
        ]
        if len(left) == len(fixes):
            return finding
        if left:
            return replace(finding, fix=left[0], alternatives=tuple(left[1:]))
        reason = self._reason(identity_of(program, finding, 0))
        note = Note(finding.path, finding.span, f"the fix is withheld: {reason}")
        shown = replace(fixes[0], applicability=Applicability.DISPLAY)
        return replace(finding, fix=shown, alternatives=(), notes=(*finding.notes, note))


def _freely(_before: State, after: State) -> State:
    return after


def _straight(before: State, after: State) -> State | None:
    return after if shows_nothing_new(before, after) else None
