"""Notebooks run, mended by what the runs show, and taken as programs to be proven."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from notebook_texts import bare, cells_of, notebook_text, program_of
from text_program import rules
from zygote import Zygote

from devfix.config import Settings
from devfix.engine import Engine
from devfix.observation.record import Place, read_record
from devfix.observation.repair import Repair, Repairer
from devfix.observation.trial import Trial
from devfix.project import Project
from devfix.proof.subject import files_of, folder_subjects, script_subject
from devfix.running.account import where
from devfix.running.cells import in_cell, in_program
from devfix.source import Source, decode_source

OBSERVED = Path(__file__).parent / "data" / "observed"

#: Nothing but a run shows what the second cell makes.
CELLS = [
    "%matplotlib inline\nimport torch\nfrom torch import nn\n!pip install x",
    "%%time\nmake = vars(torch)['on' + 'es']\ntorch.manual_seed(0)",
    "%%bash\nfalse",
    "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\nmodel = nn.Linear(2, 1).to(device)",
    "def scored():\n    x = make(3, 2)\n\n    return model(x)",
    "files = !ls\nif not files:\n    %time y = scored()\nprint('RESULT', y.sum().item())",
]


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    """A process that has torch loaded."""
    if not hasattr(os, "fork"):
        pytest.skip("runs are forked")
    found = Zygote()
    yield found
    found.close()


class Stage:
    """Runs a program, whose first file is its main one, each time with other texts."""

    def __init__(self, sources: list[Source], zygote: Zygote) -> None:
        self.sources = {source.path: source for source in sources}
        self.zygote = zygote

    def run(self, texts: Mapping[str, str], mode: str, kind: str = "cuda") -> Trial:
        """Run the program in the current folder."""
        changed = {
            path: source.with_text(texts.get(path, source.text)) for path, source in self.sources.items()
        }
        for path, source in changed.items():
            Path(path).write_bytes(source.encode())
        report = Path("report.json")
        report.unlink(missing_ok=True)
        output = self.zygote.run(Path.cwd(), [next(iter(changed))], report.absolute(), mode, kind)
        return Trial(in_program(read_record(report), changed), output)

    def locate(self, file: str) -> str | None:
        """The path of a file of the program."""
        name = os.path.relpath(file)
        return name if name in self.sources else None


def repaired(sources: list[Source], zygote: Zygote) -> Repair:
    stage = Stage(sources, zygote)
    program = Project(sources, roots=("",)).whole()
    return Repairer(Engine(rules(), Settings()), stage).repair(program, stage.run({}, "heal"))


def source(raw: str, path: str = "main.ipynb") -> Source:
    found = decode_source(path, raw.encode())
    assert isinstance(found, Source), found
    return found


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_run_shows_what_to_mend_in_a_cell(zygote: Zygote) -> None:
    book = source(notebook_text(CELLS))
    repair = repaired([book], zygote)
    (mended,) = repair.end.mended
    assert (repair.verdict, mended.witness) == ("fixed", "run")
    assert book.cell_span(mended.finding.span)[0] == 5
    assert "RESULT" in repair.last.output
    before, after = (bare("\n".join(texts)) for texts in (CELLS, _cells(repair)))
    (change,) = (pair for pair in zip(before, after, strict=True) if pair[0] != pair[1])
    assert change in [
        ("    x = make(3, 2)", "    x = make(3, 2).to(device)"),
        ("    return model(x)", "    return model(x.to(device))"),
    ]


def _cells(repair: Repair) -> tuple[str, ...]:
    source = repair.end.program.sources["main.ipynb"]
    assert source.notebook is not None
    return source.notebook.layout(source.text).texts


@pytest.mark.parametrize("name", ["converted_labels", "hooked", "fine_dispatch"])
def test_a_notebook_is_mended_as_the_script_is(name: str, zygote: Zygote) -> None:
    text = (OBSERVED / f"{name}.py").read_text(encoding="utf-8")
    script = repaired([Source("main.py", text)], zygote)
    book = source(notebook_text(cells_of(text, 1)))
    notebook = repaired([book], zygote)
    assert notebook.verdict == script.verdict
    new = notebook.end.program.sources["main.ipynb"].file_text()
    assert program_of(new) == bare(script.end.texts["main.py"])


def test_places_in_cells_are_places_in_the_program_and_back(folder: Path) -> None:
    sources = {"main.ipynb": source(notebook_text(CELLS)), "a.py": Source("a.py", "x = 1\n")}
    told = Place(str(folder / "main.ipynb"), 3, 3, 14, 22, "<module>", "%time y = scored()", cell=6)
    found = in_program((told, [1], Place(str(folder / "a.py"), 1, 1, 0, 1, "<module>", "x = 1")), sources)
    place = found[0]
    text = sources["main.ipynb"].lines[place.line - 1]
    assert place.column is not None
    assert (text[place.column : place.end_column], place.cell) == ("scored()", None)
    assert in_cell(place, sources) == told
    assert where(told) == "main.ipynb:cell 6:3:15"
    unknown = Place(str(folder / "main.ipynb"), 1, 1, 0, 1, "<module>", "%%bash", cell=3)
    assert in_program(unknown, sources) == unknown


def test_notebooks_are_programs_to_prove(folder: Path) -> None:
    (folder / "net.py").write_text("import torch\n", encoding="utf-8")
    (folder / "n.ipynb").write_text(notebook_text(["import torch\nimport net"]), encoding="utf-8")
    subject = script_subject(folder / "n.ipynb", (), folder)
    assert subject.command(lambda path: path) == ["n.ipynb"]
    assert [path.name for path in files_of(subject)] == ["n.ipynb", "net.py"]
    assert [each.script.name for each in folder_subjects(folder, (), Settings())] == ["n.ipynb"]


def test_notebooks_of_old_are_run_all_the_same(zygote: Zygote, folder: Path) -> None:
    cells = [{"cell_type": "code", "input": ["import torch\n", "print('RESULT', 1)"]}]
    (folder / "old.ipynb").write_text(json.dumps({"worksheets": [{"cells": cells}]}), encoding="utf-8")
    report = folder / "report.json"
    assert "RESULT 1" in zygote.run(folder, ["old.ipynb"], report, "heal", "cuda")
