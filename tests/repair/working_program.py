"""WorkingProgram: a program that does its work on an accelerator as it stands."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from corpus_case import CORPUS, CorpusCase, corpus_cases

#: How a program is written, the first that fits.
_STYLES = (
    (
        "trainer class",
        r"self\.(net|model)\w* = model\b|class \w*(Trainer|Agent|Learner|Engine|Runner|Solver)\b",
    ),
    ("argparse", r"argparse|parse_args"),
    ("dataclass or configuration", r"@dataclass|NamedTuple|[Cc]onfig"),
    ("loader loop", r"DataLoader\("),
    ("functions", r"^def (main|train|fit|run)\b"),
)
#: A case that says this of itself needs no mutation to fail, or is not meant to run.
_NOT_WORKING = frozenset("device_error dtype_error slow adopt".split())


@dataclass(frozen=True)
class WorkingProgram:
    """The files of a program by path, and how it is run; ``data`` are files that are no Python."""

    name: str
    style: str
    texts: Mapping[str, str]
    entry: str
    args: tuple[str, ...] = ()
    data: Mapping[str, Path] | None = None

    def write(self, texts: Mapping[str, str], target: Path) -> None:
        """Put the program into a folder, with these texts for its files."""
        for path, text in texts.items():
            place = target / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8", newline="")
        for path, source in (self.data or {}).items():
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target / path)


def corpus_programs(corpus: Path = CORPUS) -> Iterator[WorkingProgram]:
    """What the corpus holds of programs that are right: each ``after``, and each case of kind ``ok``."""
    for case in corpus_cases(corpus):
        if all(importlib.util.find_spec(name) is not None for name in case.needs):
            yield from _of_case(case)


def _of_case(case: CorpusCase) -> Iterator[WorkingProgram]:
    side = "after" if case.has("after") else "before"
    if side == "after" or case.kind == "ok":
        texts = case.texts(side)
        yield WorkingProgram(case.name, _style(texts), texts, case.entry)


def programs_of_folder(folder: Path) -> Iterator[WorkingProgram]:
    """The programs of a folder of case folders that work as they stand."""
    for expected, program in cases_of_folder(folder):
        if expected not in _NOT_WORKING:
            yield program


def cases_of_folder(folder: Path) -> Iterator[tuple[str, WorkingProgram]]:
    """The programs of a folder of case folders, each with ``case.json`` (entry, args, needs, style), and what is expected of each."""
    for path in sorted(folder.glob("*/case.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        if "entry" not in told:
            continue  # nothing says how it is run
        missing = [name for name in told.get("needs", []) if importlib.util.find_spec(name) is None]
        if missing:
            continue
        files = [
            file for file in path.parent.rglob("*") if file.is_file() and file.parent.name != "__pycache__"
        ]
        # Bytes, since reading as text would make each newline a plain one.
        texts = {
            _name(file, path.parent): file.read_bytes().decode("utf-8")
            for file in files
            if file.suffix == ".py"
        }
        data = {_name(file, path.parent): file for file in files if file.suffix != ".py" and file != path}
        style = told.get("style") or _style(texts)
        args = tuple(told.get("args", []))
        program = WorkingProgram(path.parent.name, style, texts, told["entry"], args, data)
        yield told.get("expect_before", "ok"), program


def _name(file: Path, folder: Path) -> str:
    return file.relative_to(folder).as_posix()


def _style(texts: Mapping[str, str]) -> str:
    if len(texts) > 1:
        return "several files"
    text = "\n".join(texts.values())
    return next((name for name, pattern in _STYLES if re.search(pattern, text, re.MULTILINE)), "plain script")
