"""What the server's fixes write is what `devfix apply` writes, byte for byte, over the corpus."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sweeps
from corpus_case import CorpusCase, corpus_cases
from lsp_editor import after_edits
from text_program import rules

from devfix.config import Settings
from devfix.engine import Engine
from devfix.findings import Applicability, Finding
from devfix.lsp.changes import text_edits
from devfix.lsp.messages import (
    Check,
    Checked,
    Configure,
    GetReady,
    Mend,
    MendAll,
    Mended,
    Put,
    known_by,
)
from devfix.lsp.positions import Lines
from devfix.lsp.workbench import Workbench
from devfix.runner import Task, run_paths

#: The rule that chooses a device works on the command line alone.
CASES = [case for case in corpus_cases() if case.has("after") and "--adopt" not in case.flags]
ENCODINGS = ("utf-8", "utf-16", "utf-32")


class Bench:
    """A workbench with a case's files, all of them open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._workbench = Workbench()
        self.ask(Configure((str(folder),)))
        self.texts = {str(path): path.read_bytes().decode() for path in sorted(folder.rglob("*.py"))}
        for path, text in self.texts.items():
            self.ask(Put(path, text, 1))

    def ask(self, request: object) -> object:
        return self._workbench.answer(request)

    def findings(self) -> Iterator[tuple[str, Finding]]:
        """Each finding, with the file it is in."""
        for path in self.texts:
            checked = self.ask(Check(path))
            self.ask(GetReady(path))  # fixes are judged from what is known then
            assert isinstance(checked, Checked)
            for finding in checked.views[path].findings:
                yield path, finding

    def after(self, request: Mend | MendAll) -> dict[str, str]:
        """The texts after the edits that a client would get, made by the client's rules."""
        mended = self.ask(request)
        assert isinstance(mended, Mended)
        texts = dict(self.texts)
        for new in mended.texts:
            encoding = ENCODINGS[len(new.after) % 3]
            edits = text_edits(Lines(texts[new.path], encoding), new.after)
            texts[new.path] = after_edits(texts[new.path], edits, encoding)
        return texts


def applied(folder: Path) -> tuple[dict[str, str], int]:
    """What the command line makes of the folder, and how many findings that took."""
    results = run_paths([folder], Engine(rules(), Settings()), Task(Applicability.UNSAFE, write=True), jobs=1)
    texts = {str(path): path.read_bytes().decode() for path in sorted(folder.rglob("*.py"))}
    return texts, len(results.fixed)


@pytest.fixture
def folder(case: CorpusCase, tmp_path: Path) -> Path:
    for name, text in case.texts("before").items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return tmp_path


@pytest.mark.parametrize("case", sweeps.some(CASES, every=4), ids=lambda case: case.name)
def test_fixes_write_what_apply_writes(case: CorpusCase, folder: Path) -> None:
    bench = Bench(folder)
    path, first = next((path, each) for path, each in bench.findings() if each.fix is not None)
    one = bench.after(Mend(path, 1, known_by(first), wanted=Applicability.UNSAFE))
    whole = (
        Mend(path, 1, wanted=Applicability.UNSAFE)
        if len(bench.texts) == 1
        else MendAll(str(folder), Applicability.UNSAFE)
    )
    everything = bench.after(whole)
    by_apply, fixed = applied(folder)
    assert everything == by_apply
    if fixed == 1:
        assert one == by_apply
    assert one != bench.texts
