"""What is left to the end of the process, which frees it: in a process of devfix's own that checks once, and nowhere else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

#: Runs the command line as ``devfix`` does, and tells how it ended and what was left.
_RUN = """
import sys
from devfix import ending
{begin}
sys.argv[1:] = {arguments!r}
try:
    {call}
except SystemExit as end:
    left = [each for each in ending._left if each is not ending._left]
    print(end.code, sorted({{type(each).__name__ for each in left}}), file=sys.stderr)
"""
_MAIN = ("from devfix.cli import main", "main()")
_APP = ("from devfix.cli import app", "app()")
_FAULT = "import torch\nx = torch.ones(2).cuda() + torch.ones(2)\n"


def _ended(folder: Path, how: tuple[str, str], *arguments: str) -> str:
    begin, call = how
    program = _RUN.format(begin=begin, call=call, arguments=[*arguments, str(folder)])
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=folder
    )
    return done.stderr.strip().splitlines()[-1]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(_FAULT)
    return tmp_path


def test_a_check_leaves_its_program_to_the_end_of_the_process(folder: Path) -> None:
    assert _ended(folder, _MAIN, "check", "--no-cache") == "1 ['Library', 'Program', 'Recorder']"


def test_nothing_is_left_in_a_process_of_somebody_else(folder: Path) -> None:
    assert _ended(folder, _APP, "check", "--no-cache") == "1 []"


@pytest.mark.parametrize("arguments", [("apply", "--diff"), ("check", "--write-baseline")])
def test_nothing_is_left_where_a_program_is_analysed_again_and_again(
    folder: Path, arguments: tuple[str, ...]
) -> None:
    assert _ended(folder, _MAIN, *arguments, "--no-cache").endswith(" []")


def test_nothing_is_left_before_other_programs_that_are_not_small(folder: Path) -> None:
    for name in ("one.py", "other.py"):
        (folder / name).write_text(_FAULT + "#" * 250_000)
    assert _ended(folder, _MAIN, "check", "--no-cache", "--jobs", "1") == "1 []"
