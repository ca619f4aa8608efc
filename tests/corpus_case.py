"""CorpusCase: one folder of the corpus, read with the standard library alone."""

from __future__ import annotations

import ast
import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CORPUS = Path(__file__).resolve().parents[1] / "corpus"

#: The kinds of cases whose ``before`` dies on an accelerator.
FAILING_KINDS = ("device", "dtype")


@dataclass(frozen=True)
class CorpusCase:
    """What ``case.toml`` says, and where the programs are."""

    folder: Path
    title: str
    rule: str
    rules: tuple[str, ...]
    kind: str
    error: str
    entry: str
    flags: tuple[str, ...]
    needs: tuple[str, ...]

    @property
    def name(self) -> str:
        """Cause and case, as in ``created-on-cpu/gradient-penalty``."""
        return f"{self.folder.parent.name}/{self.folder.name}"

    @property
    def fails(self) -> bool:
        """Whether the program dies on an accelerator as it stands."""
        return self.kind in FAILING_KINDS

    def has(self, side: str) -> bool:
        """Whether the case has this side, ``before`` or ``after``."""
        return bool(self.texts(side))

    def texts(self, side: str) -> dict[str, str]:
        """The files of one side by relative path; a single file goes by the name of the entry."""
        single = self.folder / f"{side}.py"
        if single.is_file():
            return {self.entry: _read(single)}
        root = self.folder / side
        return {path.relative_to(root).as_posix(): _read(path) for path in _files(root)}

    def paths(self, side: str) -> dict[str, Path]:
        """Where each of the files of one side is kept."""
        single = self.folder / f"{side}.py"
        if single.is_file():
            return {self.entry: single}
        root = self.folder / side
        return {path.relative_to(root).as_posix(): path for path in _files(root)}

    def copy(self, side: str, target: Path) -> None:
        """Put one side into a folder of its own, so that runs leave nothing in the corpus."""
        for name, path in self.paths(side).items():
            place = target / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)

    def sha256(self) -> str:
        """A fingerprint of all files of the case; a proof holds for the files it was made with."""
        digest = hashlib.sha256()
        kept = [self.folder / "case.toml", *(path for side in SIDES for path in self.paths(side).values())]
        for path in kept:
            content = path.read_bytes().replace(b"\r\n", b"\n")
            digest.update(f"{path.relative_to(self.folder).as_posix()}\0{len(content)}\0".encode())
            digest.update(content)
        return digest.hexdigest()


SIDES = ("before", "after")


def corpus_cases(corpus: Path = CORPUS) -> list[CorpusCase]:
    """Every case of the corpus, by name."""
    return [read_case(path.parent) for path in sorted(corpus.glob("*/*/case.toml"))]


def read_case(folder: Path) -> CorpusCase:
    """The case in a folder; raises KeyError or ValueError when its ``case.toml`` is not right."""
    values = dict(_entries(_read(folder / "case.toml")))
    return CorpusCase(
        folder,
        title=str(values["title"]),
        rule=str(values["rule"]),
        rules=tuple(values["rules"]),
        kind=str(values["kind"]),
        error=str(values["error"]),
        entry=str(values["entry"]),
        flags=tuple(values["flags"]),
        needs=tuple(values["needs"]),
    )


def _entries(text: str) -> Iterator[tuple[str, str | list[str]]]:
    """The keys of a flat TOML file of strings and lists of strings, each on one line.

    Python 3.10 has no TOML reader, and a machine with a GPU may have nothing but torch.
    """
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            key, _, value = line.partition("=")
            yield key.strip(), _value(value.strip())


def _value(text: str) -> str | list[str]:
    # A literal string takes backslashes as they are; the other values read the same in Python.
    value = text[1:-1] if text.startswith("'") and text.endswith("'") else ast.literal_eval(text)
    if isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, str) for item in value)):
        return value
    raise ValueError(f"neither a string nor a list of strings: {text}")


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _files(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*.py") if path.is_file())
