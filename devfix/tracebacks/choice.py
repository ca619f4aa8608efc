"""Choice: of all errors in a paste the one to explain, which is the root of the others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from devfix.tracebacks.paste import Line
from devfix.tracebacks.raised import Frame, Raised
from devfix.tracebacks.readings import Family, Reading, folded, recognise
from devfix.tracebacks.scene import Files, Scene, in_optimizer, is_library

_MAX_CANDIDATES = 400
#: Of more errors the last are not looked at: a log repeats itself.
_MAX_ERRORS = 500
#: A message that stands in a sentence may go on over this many lines.
_WINDOW = 4


@dataclass(frozen=True, slots=True)
class Choice:
    """The error to explain, what its text says, the frames that lead to it, and all the other errors."""

    raised: Raised
    reading: Reading
    frames: tuple[Frame, ...] = ()
    others: tuple[Raised, ...] = ()

    def scene(self, files: Files) -> Scene:
        """The error with the user's files."""
        return Scene(replace(self.raised, frames=self.frames), files)


def choose(found: Sequence[Raised], families: Sequence[Family]) -> Choice | None:
    """The first of the best known errors; None when none is known."""
    best: tuple[float, Raised, Reading, list[Raised]] | None = None
    for chain in _chains(found[:_MAX_ERRORS]):
        around = " ".join(folded(raised.message) for raised in chain)
        for raised in chain:
            reading = recognise(raised.message, families, around)
            if reading is None:
                continue
            rank = _rank(raised, reading)
            if best is None or rank > best[0]:
                best = (rank, raised, reading, chain)
    if best is None:
        return None
    _, raised, reading, chain = best
    frames = _frames(raised, chain)
    return Choice(raised, _refined(reading, frames), frames, _others(raised, found))


def _chains(found: Sequence[Raised]) -> list[list[Raised]]:
    """Errors that follow on each other, process by process."""
    chains: list[list[Raised]] = []
    last: dict[str, list[Raised]] = {}
    for raised in found:
        if raised.relation and raised.stream in last:
            last[raised.stream].append(raised)
        else:
            last[raised.stream] = [raised]
            chains.append(last[raised.stream])
    return chains


def _rank(raised: Raised, reading: Reading) -> float:
    """How much an error explains: a mismatch more than anything else, an error more than a warning."""
    rank = {"": 1.0, "absent-device": 2.0}.get(reading.kind, 3.0)
    if reading.family.name == "child-failed":
        rank = 0.8
    if raised.type.endswith("Warning"):
        rank *= 0.2
    return rank + 0.5 * reading.family.wraps


def _frames(raised: Raised, chain: Sequence[Raised]) -> tuple[Frame, ...]:
    """The frames of an error with those of what it was wrapped in, or of what it was wrapped by.

    The original of a worker was reached through the loader of the main process. An error that shows no
    frame of the user happened below what a later one in its chain shows.
    """
    if raised.relation == "inside":
        outer = chain[chain.index(raised) - 1]
        return (*outer.frames, *raised.frames)
    if any(not is_library(frame.path) for frame in raised.frames):
        return raised.frames
    later = [each for each in chain if each.number > raised.number and each.frames]
    return (*later[0].frames, *raised.frames) if later else raised.frames


def _refined(reading: Reading, frames: Sequence[Frame]) -> Reading:
    """Texts that mean another thing in another place."""
    in_loss = any(_is_of_loss(frame) for frame in frames)
    kind = reading.kind
    if kind == "device" and in_optimizer(frames):
        kind = "optimizer-state"
    elif reading.family.name == "result-type" and in_loss:
        return replace(
            reading, kind="target-dtype", argument="target", found=reading.wanted, wanted=reading.found
        )
    elif reading.family.name == "target-bool-subtraction":
        if in_loss:
            return replace(reading, argument="target", found="bool", wanted="float32")
        kind = "mask-dtype"
    elif reading.family.name == "scalar-type-long" and frames and not in_loss:
        kind = "index-dtype"
        return replace(reading, kind=kind, argument="index")
    return replace(reading, kind=kind)


_LOSS = re.compile(r"(?:_loss|_entropy|_with_logits)\b")


def _is_of_loss(frame: Frame) -> bool:
    """Whether a frame is one of a loss, or calls one by its name."""
    path = frame.path.replace("\\", "/")
    return path.endswith("nn/modules/loss.py") or bool(_LOSS.search(f"{frame.function} {frame.code[:500]}"))


_DIGITS = re.compile(r"\d+")


def _others(chosen: Raised, found: Sequence[Raised]) -> tuple[Raised, ...]:
    """Every other error once; the same one in several processes counts as one."""
    seen = {_DIGITS.sub("#", chosen.headline)}
    others = []
    for raised in found:
        key = _DIGITS.sub("#", raised.headline)
        if raised is not chosen and key not in seen:
            seen.add(key)
            others.append(raised)
    return tuple(others)


def bare(lines: Sequence[Line], families: Sequence[Family]) -> Choice | None:
    """A message that stands in a text without its class: in a title, a sentence, a chat."""
    whole = "\n".join(line.text for line in lines)
    marks = {family.near for family in families if len(family.near) >= 8 and family.near in whole}
    if not marks:
        return None
    likely = re.compile("|".join(re.escape(mark) for mark in sorted(marks)))
    candidates = 0
    best: Choice | None = None
    for position, line in enumerate(lines):
        if not likely.search(line.text):
            continue
        candidates += 1
        if candidates > _MAX_CANDIDATES:
            break
        text = " ".join(each.text for each in lines[max(position - 1, 0) : position + _WINDOW])
        reading = recognise(text, families)
        if reading is None:
            continue
        choice = Choice(Raised("", line.text.strip(), (), line.number), reading)
        if reading.kind:
            return choice
        best = best or choice
    return best
