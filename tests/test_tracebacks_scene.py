"""The files of a traceback: as they were, moved, changed, on another machine, or not there."""

from __future__ import annotations

import os
from pathlib import Path
from textwrap import dedent

import pytest
from pastes import FIXED, PROGRAM, diff_lines, explained, plain, program_trace, write

DEVICE = "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "path",
    [
        "train.py",
        "./train.py",
        "/content/project/train.py",
        "C:\\Users\\me\\project\\train.py",
        "~/project/train.py",
    ],
)
def test_a_file_from_another_machine_is_found_by_its_end(path: str, tmp_path: Path) -> None:
    write(tmp_path, train=PROGRAM)
    told = explained(program_trace(path))
    assert diff_lines(told) == FIXED
    assert told.notes == ()


def test_a_folder_with_the_sources_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "there" / "src").mkdir(parents=True)
    write(tmp_path / "there" / "src", train=PROGRAM)
    assert explained(program_trace("/x/src/train.py")).repair.changed == ()
    told = explained(program_trace("/x/src/train.py"), tmp_path / "there")
    assert diff_lines(told) == FIXED
    assert told.repair.changed[0][0].path == os.path.join("there", "src", "train.py")


def test_a_file_of_the_same_name_with_other_code_is_not_taken(tmp_path: Path) -> None:
    write(tmp_path, train="import torch\n\nprint(torch.__version__)\n")
    told = explained(program_trace("/elsewhere/train.py"))
    assert told.repair.changed == ()
    assert told.place is not None
    assert told.place.source is None


def test_code_that_moved_since_is_found_and_said(tmp_path: Path) -> None:
    write(tmp_path, train="# a new comment\n" + dedent(PROGRAM))
    told = explained(program_trace())
    assert diff_lines(told) == FIXED
    assert told.notes == ("line 6 of train.py has changed since: that code is in line 7 now",)


def test_code_that_is_gone_is_said(tmp_path: Path) -> None:
    write(tmp_path, train=dedent(PROGRAM).replace("y = model(x)", "y = model(x.to(device))"))
    told = explained(program_trace())
    assert told.repair.changed == ()
    (note,) = told.notes
    assert note.startswith("line 6 of train.py does not hold that code")


def test_a_file_that_does_not_parse_is_no_obstacle_to_an_explanation(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("x = (\n" * 5 + "y = model(x)\n")
    told = explained(program_trace())
    assert told.repair.changed == ()
    assert told.what


@pytest.mark.parametrize(
    "path", ["/dev/zero", "/proc/self/mem", "..", "train", "", "notebook.ipynb", "\0.py", "x" * 400 + ".py"]
)
def test_other_paths_are_not_read(path: str) -> None:
    told = explained(plain(DEVICE, (path or "x", 6, "f", "a + b")))
    assert told.repair.changed == ()
