"""Case: a folder with a program before and after, and what is announced of it."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from devfix.proof.printed import declared, numbers_in
from devfix.proof.subject import Subject, SubjectError
from devfix.proof.verdict import Proof, Stage, Verdict

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_ANNOUNCEMENT = "case.toml"
#: The kinds of cases whose program dies on an accelerator as it stands.
_FAILING = ("device", "dtype")
_CHANGING_FLAGS = ("--unsafe", "--adopt")


@dataclass(frozen=True, slots=True)
class Version:
    """A program and the files that are put in place of its own before it runs."""

    subject: Subject
    texts: Mapping[Path, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Case:
    """``fails`` and ``error`` are what is announced of ``before``; None where nothing is."""

    name: str
    before: Version
    after: Version | None = None
    fails: bool | None = None
    error: str | None = None
    safe: bool = True


def find_cases(folder: Path) -> list[Case]:
    """The cases in a folder, itself or up to two levels below; raises SubjectError for one that makes no sense."""
    found = [place for place in _places(folder) if _is_case(place)]
    return [_read(place, folder) for place in sorted(found)]


def _places(folder: Path) -> Iterator[Path]:
    yield folder
    for pattern in ("*/", "*/*/"):
        yield from (place for place in folder.glob(pattern) if place.is_dir())


def _is_case(folder: Path) -> bool:
    if (folder / _ANNOUNCEMENT).is_file():
        return True
    return all((folder / f"{side}.py").is_file() for side in ("before", "after"))


def _read(folder: Path, corpus: Path) -> Case:
    announced = _announced(folder / _ANNOUNCEMENT)
    entry = str(announced.get("entry", "before.py"))
    before = _version(folder, "before", entry)
    if before is None:
        raise SubjectError(f"{folder} has no program before")
    kind = announced.get("kind")
    name = folder.relative_to(corpus).as_posix() if folder != corpus else folder.name
    return Case(
        name,
        before,
        _version(folder, "after", entry),
        fails=None if kind is None else kind in _FAILING,
        error=announced.get("error") or None,
        safe=not any(flag in _CHANGING_FLAGS for flag in announced.get("flags", ())),
    )


def _announced(file: Path) -> dict[str, Any]:
    if not file.is_file():
        return {}
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SubjectError(f"{file}: {error}") from error


def _version(folder: Path, side: str, entry: str) -> Version | None:
    folder = Path(os.path.realpath(folder))
    single, several = folder / f"{side}.py", folder / side
    if single.is_file():
        # Both sides run under the same name, so that what they print of themselves is the same.
        place = folder / entry
        return Version(Subject(place, folder, folder), {place: single.read_bytes()})
    if several.is_dir():
        return Version(Subject(several / entry, several, several))
    return None


def held_against(case: Case, proof: Proof) -> Proof:
    """The proof of a case, with what does not go as announced."""
    trouble = _trouble(case, proof)
    if trouble is None:
        return proof
    reasons = [trouble] if not proof.reason or proof.reason in trouble else [trouble, proof.reason]
    return replace(proof, expected=False, reason="; ".join(reasons))


def _trouble(case: Case, proof: Proof) -> str | None:
    before = proof.run(Stage.BEFORE)
    if before is None or case.fails is None or proof.verdict is Verdict.CANNOT_RUN:
        return None
    if before.finished is case.fails:
        return "it was to fail, and runs" if case.fails else f"it was to run, and fails: {before.failure}"
    seen = f"{before.output}\n{before.ending.errors}"
    if case.fails and case.error is not None and not re.search(case.error, seen):
        return f"it was to fail with `{case.error}`"
    last = proof.run(Stage.AFTER) or before
    results = declared(last.output)
    if last.finished and not any(math.isfinite(number) for number in numbers_in("".join(results[-1:]))):
        return "it ends without a finite RESULT"
    return None
