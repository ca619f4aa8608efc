"""Pruning: taking back changes that a program runs through without."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from devfix.file_report import Skipped
from devfix.hunks import hunks
from devfix.observation.search import State
from devfix.observation.trial import Stage, Trial
from devfix.source import check_syntax

#: More changes than this are not tried one by one, but in shares; and no more runs are made.
_MOST, _MOST_RUNS = 8, 12


@dataclass(frozen=True, slots=True)
class _Change:
    """Some lines of a file, and the lines that stand in their place."""

    path: str
    first: int
    end: int
    lines: tuple[str, ...]


def pruned(before: State, after: State, stage: Stage, is_late: Callable[[], bool] = lambda: False) -> State:
    """The state without those changes since ``before`` that a clean run does not need."""
    changes = [change for path in sorted(after.program.sources) for change in _changes(before, after, path)]
    if not after.trial.is_clean or any(not change.lines for change in changes):
        return after  # what goes at one place may come at another
    kept, state, size, runs = changes, after, len(changes), 0
    while size > 1:
        size = (size + 1) // 2 if len(kept) > _MOST else 1
        for share in [kept[start : start + size] for start in reversed(range(0, len(kept), size))]:
            rest = [each for each in kept if each not in share]
            if is_late() or runs == _MOST_RUNS or not rest:
                break
            tried = _with(before, rest, state, stage)
            runs += 1
            if tried is not None and _runs_as_well(tried.trial, state.trial):
                kept, state = rest, tried
    return state


def _runs_as_well(trial: Trial, before: Trial) -> bool:
    """Whether a run is as clean as one before, and the program did not answer an error by a status or a message."""
    return trial.is_clean and trial.ends_as_well_as(before) and trial.says_as_much_as(before)


def _changes(before: State, after: State, path: str) -> list[_Change]:
    """The changes of a file; lines that each became another, or were put in, are changes of their own."""
    old, new = before.program.sources[path].lines, after.program.sources[path].lines
    found = []
    for first, end, start, stop in hunks(old, new):
        if end - first == stop - start:
            found += [_Change(path, first + k, first + k + 1, (new[start + k],)) for k in range(end - first)]
        elif first == end and all(map(_is_statement, new[start:stop])):
            found += [_Change(path, first, end, (line,)) for line in new[start:stop]]
        else:
            found.append(_Change(path, first, end, tuple(new[start:stop])))
    return found


def _is_statement(line: str) -> bool:
    """Whether a line is a statement that needs no other line."""
    try:
        return len(ast.parse(line.strip()).body) == 1
    except SyntaxError:
        return False


def _with(before: State, changes: Sequence[_Change], state: State, stage: Stage) -> State | None:
    """The state with some of the changes; None when that is no Python."""
    texts = dict(before.texts)
    for path in {change.path for change in changes}:
        lines = list(before.program.sources[path].lines)
        # Of what was put in at one place the last goes first, so that the others come before it.
        for change in sorted((c for c in changes[::-1] if c.path == path), key=lambda c: -c.first):
            lines[change.first : change.end] = change.lines
        texts[path] = "".join(lines)
    program = before.program.with_texts(texts)
    if any(isinstance(check_syntax(source), Skipped) for source in program.sources.values()):
        return None
    return replace(state, program=program, trial=stage.run(texts, "heal"))
