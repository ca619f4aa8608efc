"""Notebooks through the tool: found, reported by cell, rewritten in place, and left alone where that is right."""

from __future__ import annotations

import codecs
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from corpus_case import CorpusCase, corpus_cases
from fakes import WordRule, toy_engine
from notebook_texts import bare, cells_of, notebook_text, program_of
from text_program import fix_texts, rules
from typer.testing import CliRunner, Result

from devfix import engine
from devfix.cli import app
from devfix.config import Settings
from devfix.file_report import FileReport, Skipped
from devfix.findings import Applicability
from devfix.notebooks import Notebook
from devfix.project import Project
from devfix.source import Source, decode_source

NOTEBOOKS = Path(__file__).parent / "data" / "notebooks"
FIXED = sorted((NOTEBOOKS / "fixed").glob("*.ipynb"))
UNTOUCHED = sorted((NOTEBOOKS / "untouched").glob("*.ipynb"))

#: A tensor is made on the CPU in one cell, and meets the model of another in a third.
CELLS = [
    "%matplotlib inline\nimport torch\nfrom torch import nn",
    "model = nn.Linear(2, 2).cuda()",
    "x = torch.ones(3, 2)\n!ls",
    "%%time\ny = model(x)",
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def devfix(*words: str, data: bytes | None = None) -> Result:
    return CliRunner().invoke(app, [*words], input=data)


def source(raw: str | bytes, path: str = "n.ipynb") -> Source:
    found = decode_source(path, raw.encode() if isinstance(raw, str) else raw)
    assert isinstance(found, Source), found
    return found


def fixed(
    sources: list[Source], wanted: Applicability = Applicability.SAFE, *, adopt: bool = False
) -> dict[str, FileReport]:
    reports = engine.fix(Project(sources, roots=("",)), rules(), Settings(adopt=adopt), wanted)
    assert not [report.crash for report in reports if report.crash]
    return {report.path: report for report in reports}


@pytest.fixture
def broken(folder: Path) -> Path:
    shutil.copytree(NOTEBOOKS / "broken", folder / "broken")
    return folder / "broken"


def test_notebooks_become_what_they_should_be_to_the_byte(broken: Path) -> None:
    assert devfix("apply", "--unsafe", "--adopt", "broken").exit_code == 0
    for expected in FIXED:
        assert (broken / expected.name).read_bytes() == expected.read_bytes(), expected.name
    result = devfix("apply", "--unsafe", "--adopt", "broken")
    assert (result.exit_code, result.stdout) == (0, "Nothing to fix.\n")


def test_outputs_metadata_and_ids_are_what_they_were(broken: Path) -> None:
    for expected in FIXED:
        before, after = (json.loads(path.read_bytes()) for path in (broken / expected.name, expected))
        for held in (before, after):
            for cell in held["cells"]:
                cell.pop("source")
        assert before == after


def test_a_patch_of_notebooks_is_one_of_their_files(broken: Path) -> None:
    result = devfix("apply", "--diff", "--unsafe", "--adopt", "broken")
    assert result.exit_code == 1
    assert '-    "reconstruit = modèle(données).detach().numpy()\\n",\n' in result.stdout
    assert '+    "reconstruit = modèle(données).detach().cpu().numpy()\\n",\n' in result.stdout


@pytest.mark.parametrize("path", UNTOUCHED, ids=lambda path: path.stem)
def test_what_is_right_or_cannot_be_read_is_left_alone(path: Path, folder: Path) -> None:
    copy = folder / path.name
    shutil.copyfile(path, copy)
    reasons = {
        "cut_short": (2, "error: cut_short.ipynb is no notebook: Unterminated string"),
        "format3": (2, "error: format3.ipynb is in notebook format 3; `jupyter nbconvert"),
        "syntax_error": (
            2,
            "error: syntax_error.ipynb has a syntax error in cell 2, line 2: Missing parentheses",
        ),
        "other_language": (0, "skipped: other_language.ipynb is no Python: its language is r"),
    }
    code, said = reasons.get(path.stem, (0, ""))
    result = devfix("apply", "--unsafe", "--adopt", path.name)
    assert (result.exit_code, copy.read_bytes()) == (code, path.read_bytes())
    assert said in result.stderr


def test_findings_are_told_by_cell(folder: Path) -> None:
    (folder / "n.ipynb").write_text(notebook_text(CELLS), encoding="utf-8")
    result = devfix("check", "n.ipynb")
    assert result.exit_code == 1
    assert result.stdout.startswith(
        "n.ipynb:cell 4:2:5: DF102 operand-not-moved `x` is on the CPU and meets the parameters of `model`"
    )
    assert "\n2 | y = model(x)\n" in result.stdout
    assert (
        "n.ipynb:cell 3:1:5: `torch.ones(3, 2)` is made here, on the CPU  x = torch.ones(3, 2)"
        in result.stdout
    )
    concise = devfix("check", "n.ipynb", "--output-format", "concise")
    assert concise.stdout.startswith("n.ipynb:cell 4:2:5: DF102")


def test_findings_are_data_with_cells(folder: Path) -> None:
    (folder / "n.ipynb").write_text(notebook_text(CELLS), encoding="utf-8")
    held = json.loads(devfix("check", "n.ipynb", "--output-format", "json").stdout)
    (found,) = held["files"][0]["findings"]
    assert (found["path"], found["cell"]) == ("n.ipynb", 4)
    assert found["span"] == {"line": 2, "column": 4, "end_line": 2, "end_column": 12}
    assert [(note["cell"], note["span"]["line"]) for note in found["notes"]] == [(3, 1), (2, 1)]
    for edit in found["fix"]["edits"]:
        assert edit["span"]["cell"] == 3
    done = json.loads(devfix("apply", "n.ipynb", "--output-format", "json").stdout)
    (mended,) = done["files"][0]["fixed"]
    assert (mended["cell"], mended["span"]) == (4, found["span"])


def test_what_remains_is_told_by_the_cells_as_they_are_then(folder: Path) -> None:
    training = """\
for x, y in DataLoader(TensorDataset(torch.ones(4, 2), torch.ones(4, 1))):
    loss = (model(x) - y).mean()
rows = torch.from_numpy(np.ones((1, 2))).cuda()
model(rows)"""
    imports = "import numpy as np\nimport torch\nfrom torch.utils.data import DataLoader, TensorDataset"
    cells = [imports, "model = torch.nn.Linear(2, 1).cuda()", training]
    (folder / "n.ipynb").write_text(notebook_text(cells), encoding="utf-8")
    before = devfix("check", "n.ipynb", "--output-format", "concise")
    assert "n.ipynb:cell 3:4:1: DF501" in before.stdout
    after = devfix("apply", "n.ipynb", "--output-format", "concise")
    assert program_of((folder / "n.ipynb").read_text(encoding="utf-8"))[-1] == "model(rows)"
    assert after.stdout.startswith("n.ipynb:cell 3:5:1: DF501")
    text = devfix("check", "n.ipynb").stdout
    assert "\n5 | model(rows)\n" in text


def test_comments_silence_lines_of_their_cell(folder: Path) -> None:
    noted = [*CELLS[:3], "%%time\ny = model(x)  # devfix: ignore[DF102]\nz = 1  # devfix: ignore[DF102]"]
    (folder / "n.ipynb").write_text(notebook_text(noted), encoding="utf-8")
    result = devfix("check", "n.ipynb", "--output-format", "concise")
    assert result.stdout.splitlines()[0].startswith("n.ipynb:cell 4:3:8: DF901 unused-suppression")
    assert "1 suppressed finding" in result.stdout
    devfix("apply", "n.ipynb")
    assert program_of((folder / "n.ipynb").read_text(encoding="utf-8"))[-2:] == [
        "y = model(x)  # devfix: ignore[DF102]",
        "z = 1",
    ]


def test_a_comment_for_the_file_silences_all_cells(folder: Path) -> None:
    cells = ["# devfix: ignore-file", *CELLS]
    (folder / "n.ipynb").write_text(notebook_text(cells), encoding="utf-8")
    assert devfix("check", "n.ipynb").exit_code == 0


def test_folders_are_searched_for_notebooks(folder: Path) -> None:
    for name in ("a.ipynb", "sub/b.ipynb", ".ipynb_checkpoints/a-checkpoint.ipynb", "old/c.ipynb"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(notebook_text(CELLS), encoding="utf-8")
    held = json.loads(devfix("check", ".", "--exclude", "old", "--output-format", "json").stdout)
    assert [file["path"] for file in held["files"]] == ["a.ipynb", "sub/b.ipynb"]


def test_a_notebook_knows_the_modules_beside_it(folder: Path) -> None:
    (folder / "net.py").write_text(
        "from torch import nn\n\n\ndef net():\n    return nn.Linear(2, 2).cuda()\n", encoding="utf-8"
    )
    cells = ["import torch\nfrom net import net", "model = net()", "model(torch.ones(1, 2))"]
    (folder / "n.ipynb").write_text(notebook_text(cells), encoding="utf-8")
    result = devfix("check", ".", "--output-format", "concise")
    assert result.stdout.startswith("n.ipynb:cell 3:1:1: DF102")


def test_a_module_and_a_notebook_may_have_one_name(folder: Path) -> None:
    (folder / "train.py").write_text("import torch\n\nW = torch.ones(2).cuda()\n", encoding="utf-8")
    cells = ["import torch\nfrom train import W", "v = torch.ones(2)", "W + v"]
    (folder / "train.ipynb").write_text(notebook_text(cells), encoding="utf-8")
    assert "train.ipynb:cell 3:1:1: DF102" in devfix("check", ".", "--output-format", "concise").stdout


def test_standard_input_is_a_notebook_when_its_name_says_so() -> None:
    raw = notebook_text(CELLS).encode()
    result = devfix("apply", "-", "--stdin-filename", "n.ipynb", data=raw)
    made = "x = torch.ones(3, 2, device=next(model.parameters()).device)\n!ls"
    assert Notebook.parse(result.stdout).cells.texts == (*CELLS[:2], made, CELLS[3])


def test_a_byte_order_mark_and_newlines_are_kept(folder: Path) -> None:
    path = folder / "n.ipynb"
    raw = codecs.BOM_UTF8 + notebook_text(CELLS).replace("\n", "\r\n").encode()
    path.write_bytes(raw)
    assert devfix("apply", "n.ipynb").exit_code == 0
    new = path.read_bytes()
    assert new != raw
    assert new.startswith(codecs.BOM_UTF8)
    assert new.count(b"\n") == new.count(b"\r\n")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xff\xfe{}", "is no notebook: 'utf-8' codec can't decode"),
        (b"", "is no notebook: Expecting value"),
        (
            b'{"cells": [{"cell_type": "code", "source": "x = \\u0000"}]}',
            "is not Python text: it contains NUL bytes",
        ),
        (
            b'{"cells": [{"cell_type": "code", "source": "x = \'\\ud800\'"}]}',
            "cannot be parsed: 'utf-8' codec",
        ),
    ],
)
def test_what_cannot_be_read_is_said(data: bytes, reason: str) -> None:
    found = decode_source("n.ipynb", data)
    assert isinstance(found, Skipped)
    assert (found.reason[: len(reason)], found.fault) == (reason, True)


def test_a_fix_in_what_a_magic_runs_is_made_there() -> None:
    raw = notebook_text([*CELLS[:2], "if model:\n    %timeit -n 3 y = model(torch.ones(1, 2))"])
    new = source(raw).file_text(fixed([source(raw)])["n.ipynb"].new_text)
    assert Notebook.parse(new).cells.texts[2] == (
        "if model:\n    %timeit -n 3 y = model(torch.ones(1, 2, device=next(model.parameters()).device))"
    )


def test_a_fix_that_takes_a_magic_apart_is_withheld_and_says_why() -> None:
    book = source(notebook_text(["import torch\nfiles = !ls\nbad"]))
    rules = WordRule("T101", "get_ipython", "another"), WordRule("T102", "bad", "good")
    (report,) = toy_engine(*rules).fix(Project([book]).whole(), Applicability.SAFE)
    assert report.new_text is not None
    assert program_of(book.file_text(report.new_text)) == ["import torch", "files = !ls", "good"]
    (left,) = report.findings
    assert left.notes[-1].text == (
        "the fix is withheld: the cells cannot be told apart: an edit changes a line that only IPython understands"
    )


def test_a_notebook_crosses_to_another_process() -> None:
    import pickle  # noqa: PLC0415 - for this test alone

    before = source(notebook_text(CELLS))
    after: Source = pickle.loads(pickle.dumps(before))
    assert (after.text, after.encode()) == (before.text, before.encode())


SAMPLE = corpus_cases()[::8]


@pytest.mark.parametrize("case", SAMPLE, ids=lambda case: case.name)
def test_a_notebook_is_repaired_as_the_script_is(case: CorpusCase) -> None:
    wanted = Applicability.UNSAFE if "--unsafe" in case.flags else Applicability.SAFE
    adopt = "--adopt" in case.flags
    texts = case.texts("before")
    entry = case.entry.removesuffix(".py") + ".ipynb"
    raw = notebook_text(cells_of(texts.pop(case.entry)))
    book = source(raw, entry)
    reports = fixed([book, *(source(text, name) for name, text in texts.items())], wanted, adopt=adopt)
    expected = dict(fix_texts(case.texts("before"), wanted, adopt=adopt)[0])
    assert program_of(book.file_text(reports[entry].new_text)) == bare(expected.pop(case.entry))
    assert {name: reports[name].new_text or text for name, text in texts.items()} == expected
    again = source(book.encode(reports[entry].new_text), entry)
    rest = [source(text, name) for name, text in expected.items()]
    assert fixed([again, *rest], wanted, adopt=adopt)[entry].new_text is None


def test_text_between_cells_does_not_grow(folder: Path) -> None:
    cells: list[str] = [*CELLS[:1], "# The data.\n\nx = torch.ones(3, 2)\n", *CELLS[1:2], "y = model(x)\n\n"]
    path = folder / "n.ipynb"
    path.write_text(notebook_text(cells), encoding="utf-8")
    devfix("apply", "--unsafe", "--adopt", "n.ipynb")
    after: Any = Notebook.parse(path.read_text(encoding="utf-8")).cells.texts
    for old, new in zip(cells, after, strict=True):
        assert len(new) - len(new.rstrip("\n")) == len(old) - len(old.rstrip("\n"))
