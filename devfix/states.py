"""States: where a program stands while it is fixed, and how far that is from where it stood."""

from __future__ import annotations

from dataclasses import dataclass

from devfix.deeds import Identity, Known, identity_of
from devfix.differences import changed_lines
from devfix.findings import Finding
from devfix.judgement import Judgement
from devfix.kinship import are_mended
from devfix.project import Program
from devfix.selection import ADOPTING_RULE


@dataclass(frozen=True)
class State:
    """A program somewhere between its first and its last text, and what the rules say of it."""

    program: Program
    judgement: Judgement
    fixed: tuple[Finding, ...] = ()
    #: The program that each of these was found in.
    homes: tuple[Program, ...] = ()
    #: How many of the fixes were not the one that their finding prefers.
    second_choices: int = 0


def cost(start: State, end: State) -> int:
    """What a way costs: the lines it changes, and one for each fix that its finding does not prefer."""
    return lines_changed(start, end) + end.second_choices


def lines_changed(start: State, end: State) -> int:
    """How many lines of a program were changed."""
    pairs = ((source, end.program.sources[path]) for path, source in start.program.sources.items())
    return sum(changed_lines(source.text, after.text) for source, after in pairs if after is not source)


def late_turns(end: State) -> int:
    """How often a way took what is done only where nothing else can be, such as work that goes back to the CPU."""
    return sum(finding.fix.turn > 1 for finding in end.fixed if finding.fix is not None)


def may_adopt(state: State) -> bool:
    """Whether a program could be given a device."""
    return any(finding.code == ADOPTING_RULE for finding in state.judgement.findings)


def known_of(state: State) -> Known:
    """The program and what was found in it."""
    return state.program, state.judgement.findings


def shows_nothing_new(before: State, after: State) -> bool:
    """Whether every finding of a state was one of the state before already."""
    return identities_of(after) <= identities_of(before)


def hides(start: State, after: State) -> bool:
    """Whether a finding is gone of which no fix that was made has to do with it."""
    left = identities_of(after)
    gone = [each for each in start.judgement.findings if identity_of(start.program, each, 0) not in left]
    return not are_mended(gone, after.fixed, start.program.sources)


def moves_by_itself(after: State, end: State) -> bool:
    """Whether what one more fix moved is moved by the code that asks for another tensor, so that one of the two is idle."""
    return len(after.judgement.idle) < len(end.judgement.idle)


def identities_of(state: State) -> set[Identity]:
    """What the findings of a state are known by, whichever of their fixes is made."""
    return {identity_of(state.program, finding, 0) for finding in state.judgement.findings}


def texts_of(program: Program) -> frozenset[tuple[str, str]]:
    """The texts of all files: what a program is known by."""
    return frozenset((path, source.text) for path, source in program.sources.items())
