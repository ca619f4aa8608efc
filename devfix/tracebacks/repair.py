"""Repair: what the rules say of the error, and the change of the program that mends it.

The analysis is asked first: it knows every path and where each operand comes from. Where it is silent, the
operand that the error names goes to the same rules. Nothing is executed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from devfix.analysis.entries import run_program
from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import Recorder
from devfix.config import ConfigError, Configuration, Settings
from devfix.endless import NotConvergingError
from devfix.engine import with_built_in
from devfix.findings import Applicability, Finding, Mismatch
from devfix.fixing import Fixer
from devfix.judgement import Judgement, is_relevant, judge
from devfix.project import Program, Project, find_roots, load_project
from devfix.registry import Rule
from devfix.rewrite import EditError, apply_edits
from devfix.selection import Selection
from devfix.source import Source
from devfix.states import State
from devfix.tracebacks.blame import Blame
from devfix.tracebacks.readings import Reading
from devfix.tracebacks.scene import Scene
from devfix.tracebacks.witness import agrees, contradicts, known, near, settled, witnessed

#: Rules about a program as a whole, which no single error is about.
_ASIDE = ("device-scattered", "no-device-chosen", "unused-suppression")


@dataclass(frozen=True)
class Repair:
    """What became of the program at hand.

    ``witness`` says who knew the mismatch: ``analysis``, ``nearby`` (the analysis, at another line), ``traceback``,
    or "" (nobody). ``changed`` are the files with their new text; ``reason`` says why there is none.
    """

    witness: str = ""
    findings: tuple[Finding, ...] = ()
    changed: tuple[tuple[Source, str], ...] = ()
    applicability: Applicability | None = None
    others: int = 0
    reason: str = ""
    blame: Blame | None = None


def repair(reading: Reading, found: Blame, scene: Scene, rules: Sequence[Rule]) -> Repair:
    """The repair of the program that the frames are of; it never raises for what the program holds."""
    if not reading.kind or reading.kind == "absent-device":
        return Repair(reason="there is nothing to mend in the code")
    program, reason = _program(scene)
    if program is None:
        return Repair(reason=reason)
    try:
        return _Repairer(program, rules, _settings(program)).repair(reading, found, scene)
    except RecursionError:
        return Repair(reason="the program is nested too deeply to be analysed")
    except NotConvergingError as error:
        return Repair(reason=str(error))
    except Exception as error:  # noqa: BLE001 - a defect of the analysis must not cost the explanation
        return Repair(reason=f"devfix failed on this program ({type(error).__name__}: {error})")


def _program(scene: Scene) -> tuple[Program | None, str]:
    """The program that holds the innermost file of the user; every file of it may be changed."""
    at_hand = [placed.source for placed in scene.placed if placed.source is not None]
    if not scene.placed:
        return None, "the text names no file of yours; the whole traceback does, from its first line on"
    if not at_hand:
        return None, "the files that the traceback names are not here (--source FOLDER says where they are)"
    names = list(dict.fromkeys(source.path for source in at_hand))
    roots = find_roots(names if scene.files.folder is None else [*names, scene.files.folder])
    project, _ = load_project(names, roots)
    whole = Project(
        project.sources.values(),
        roots=roots,
        packages=project.layout.packages,
        device_policy=_policy(names[-1]),
    )
    for program in whole.programs():
        if at_hand[-1].path in program.sources:
            return (program, "") if is_relevant(program) else (None, _without_torch(scene, at_hand[-1].path))
    return None, f"{at_hand[-1].path} cannot be read"


def _without_torch(scene: Scene, path: str) -> str:
    """Why a file tells nothing that neither imports torch nor is imported, at hand, by one that does."""
    away = [placed.frame.path for placed in scene.placed if placed.source is None]
    if not away:
        return f"neither {path} nor the files that it belongs with import torch"
    return f"{path} shows no tensor by itself, and {away[-1]}, which leads to it, is not here (--source FOLDER says where it is)"


def _policy(path: str) -> str:
    try:
        return Configuration().of(path).device_policy
    except ConfigError:
        return Settings().device_policy


def _settings(program: Program) -> Settings:
    """The settings of the project; an error is explained whatever rules are selected."""
    return Settings(device_policy=program.device_policy)


class _WitnessedFacts(Facts):
    """The facts of a program in which some mismatches stand for all."""

    def __init__(self, program: Program, recorder: Recorder, witnessed: Sequence[Mismatch]) -> None:
        super().__init__(program, recorder)
        self._witnessed = list(witnessed)

    def mismatches(self, kind: str | None = None) -> list[Mismatch]:
        """Those mismatches; of targets that are no fault by themselves, what the analysis knows."""
        if kind == "target-width":
            return super().mismatches(kind)
        return [mismatch for mismatch in self._witnessed if kind in (None, mismatch.kind)]


class _Repairer:
    """Repairs one program."""

    def __init__(self, program: Program, rules: Sequence[Rule], settings: Settings) -> None:
        self.program = program
        self.selection = Selection(with_built_in(rules), settings)
        self._recorder = Recorder()
        run_program(program, self._recorder)
        self.facts = Facts(program, self._recorder)

    def repair(self, reading: Reading, found: Blame, scene: Scene) -> Repair:
        """What the rules say of the mismatch that the error is about, whoever knows it best."""
        found = settled(self.facts, found)
        reason = "the analysis does not see this mismatch, and the error alone does not show a safe place for the fix"
        best = Repair(reason=reason, blame=found)
        for witness, mismatches, beside in self._accounts(reading, found, scene):
            findings = self._about(mismatches)
            if witness == "traceback":
                findings = tuple(_sound(finding, found) for finding in findings)
            if not findings:
                continue
            all_here = self._about(beside) if len(beside) > len(mismatches) else findings
            repaired = replace(self._repaired(witness, findings, all_here), blame=found)
            if repaired.changed:
                return repaired
            best = best if best.findings else repaired
        return best

    def _accounts(
        self, reading: Reading, found: Blame, scene: Scene
    ) -> Iterator[tuple[str, Sequence[Mismatch], Sequence[Mismatch]]]:
        """The mismatches that may be meant, who says so, and what else is wrong there; the best first."""
        # First what is certain, then what the analysis only held for possible: it has happened.
        for mismatches in (self.facts.mismatches(), self._recorder.mismatches):
            exact, beside = known(self.facts, mismatches, reading, scene)
            yield "analysis", [each for each in exact if agrees(each, found)], beside
        if not contradicts(self.facts, found):
            for mismatch in witnessed(reading, found, scene):
                yield "traceback", [mismatch], []
        yield "nearby", [each for each in near(self.facts, reading, scene) if agrees(each, found)], []

    def _about(self, mismatches: Sequence[Mismatch]) -> tuple[Finding, ...]:
        if not mismatches:
            return ()
        facts = _WitnessedFacts(self.program, self._recorder, mismatches)
        judged = judge(self.program, self.selection, lambda _: facts)
        return tuple(finding for finding in judged.findings if finding.rule not in _ASIDE)

    def _repaired(self, witness: str, findings: tuple[Finding, ...], all_here: tuple[Finding, ...]) -> Repair:
        full = self._judge(self.program)
        own = {_identity(self.program, finding) for finding in (*findings, *all_here)}
        unrelated = {_identity(self.program, finding) for finding in full.findings} - own
        unrelated -= {
            _identity(self.program, other) for other in full.findings if _shares_fix(other, all_here)
        }
        start = State(self.program, Judgement(all_here, {}))
        end = self._fixer(unrelated).run(start)
        changed = [
            (source, end.program.sources[path].text)
            for path, source in self.program.sources.items()
            if end.program.sources[path].text != source.text
        ]
        used = [finding.fix.applicability for finding in end.fixed if finding.fix is not None]
        return Repair(
            witness,
            findings,
            tuple(changed),
            min(used, default=None),
            others=len(
                [finding for finding in full.findings if _identity(self.program, finding) in unrelated]
            ),
            reason="" if changed else "no fix can be placed where it is certain to be right",
        )

    def _fixer(self, unrelated: set[tuple[str, ...]]) -> Fixer:
        """Applies the fixes of the findings, and of what they bring to light; other faults are left alone."""

        def rest(program: Program) -> Judgement:
            judged = self._judge(program)
            found = [each for each in judged.findings if _identity(program, each) not in unrelated]
            return Judgement(tuple(found), judged.suppressed)

        return Fixer(rest, apply_edits, EditError, self.selection, Applicability.UNSAFE)

    def _judge(self, program: Program) -> Judgement:
        if program is self.program:
            facts = self.facts
        else:
            recorder = Recorder()
            run_program(program, recorder)
            facts = Facts(program, recorder)
        judged = judge(program, self.selection, lambda _: facts)
        found = tuple(finding for finding in judged.findings if finding.rule not in _ASIDE)
        return Judgement(found, judged.suppressed)


def _sound(finding: Finding, found: Blame) -> Finding:
    """The finding without fixes that take the device from the operand that is to blame."""
    names = {
        node.id
        for culprit in (*found.culprits, *(step.culprit for step in found.steps))
        for node in ast.walk(culprit.node)
        if isinstance(node, ast.Name)
    } - {"self"}
    fixes = () if finding.fix is None else (finding.fix, *finding.alternatives)
    sound = [fix for fix in fixes if not any(_asks(item.edit, names) for item in fix.edits)]
    return replace(finding, fix=sound[0] if sound else None, alternatives=tuple(sound[1:]))


_ASKED = re.compile(r"\.to\((?:next\()?(\w+)")


def _asks(edit: object, names: set[str]) -> bool:
    """Whether an edit takes its device from one of the names."""
    code = " ".join(str(getattr(edit, field, "")) for field in ("suffix", "code", "value"))
    return any(name in names for name in _ASKED.findall(code))


def _identity(program: Program, finding: Finding) -> tuple[str, ...]:
    """What makes a finding the same one after lines have moved."""
    text = program.sources[finding.path].segment(finding.span)
    return (finding.path, finding.code, finding.message, text)


def _shares_fix(finding: Finding, others: Iterable[Finding]) -> bool:
    return finding.fix is not None and any(
        other.fix is not None and set(other.fix.edits) & set(finding.fix.edits) for other in others
    )
