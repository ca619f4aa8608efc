"""Mutant: a working program with one mistake in it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from repair.change import Change
from repair.operators import OPERATORS
from repair.operators.adoption import without_devices
from repair.script import Script, edited
from repair.working_program import WorkingProgram

#: The operator whose mutants run as they are, but on the host alone.
ADOPTION = "no-device-handling"


@dataclass(frozen=True)
class Mutant:
    """One mistake: which, where, and how the files read with it."""

    program: WorkingProgram
    operator: str
    role: str
    path: str
    line: int
    texts: Mapping[str, str]

    @property
    def name(self) -> str:
        """What it is known by: program, operator and place."""
        place = f"{self.path}:{self.line}" if self.path else "everywhere"
        return f"{self.program.name} {self.operator} {place} {self.digest}"

    @property
    def digest(self) -> str:
        """A few letters that tell it from others of the same place."""
        text = "\0".join(f"{path}\0{text}" for path, text in sorted(self.texts.items()))
        return hashlib.sha256(text.encode()).hexdigest()[:6]

    @property
    def adopts(self) -> bool:
        """Whether it is repaired by choosing a device."""
        return self.operator == ADOPTION


def mutants_of(program: WorkingProgram) -> Iterator[Mutant]:
    """Every mutant of a program that reads otherwise than the program and the others."""
    seen = {_key(program.texts)}
    for mutant in _all_of(program):
        key = _key(mutant.texts)
        if key not in seen:
            seen.add(key)
            yield mutant


def _all_of(program: WorkingProgram) -> Iterator[Mutant]:
    for path, text in program.texts.items():
        script = Script(text)
        for operator in OPERATORS:
            for change in operator(script):
                new = edited(text, change.edits)
                if new is not None:
                    yield _mutant(program, path, change, new)
    bare = without_devices(program.texts)
    if bare is not None:
        yield Mutant(program, ADOPTION, "everything", "", 0, bare)


def _mutant(program: WorkingProgram, path: str, change: Change, new: str) -> Mutant:
    texts = {**program.texts, path: new}
    return Mutant(program, change.operator, change.role, path, change.line, texts)


def _key(texts: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(texts.items()))
