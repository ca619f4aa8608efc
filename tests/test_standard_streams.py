"""Standard streams that are closed, or take no more: no traceback, and the exit code says what it says otherwise."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from devfix.cli import standard_streams
from devfix.report.paint import paint_for, paint_of_patch

_FAULTY = """import torch
model = torch.nn.Linear(4, 2).cuda()
print(model(torch.ones(1, 4)))
"""
_FULL = Path("/dev/full")


def _devfix(folder: Path, words: str, streams: str) -> subprocess.CompletedProcess[str]:
    (folder / "a.py").write_text(_FAULTY)
    return subprocess.run(
        ["sh", "-c", f"exec {sys.executable} -m devfix {words} {streams}"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(not _FULL.exists(), reason="a device that is always full")
@pytest.mark.parametrize("words", ["check", "apply --diff", "rules"])
def test_a_full_disk_is_an_error_and_no_traceback(tmp_path: Path, words: str) -> None:
    done = _devfix(tmp_path, words, ">/dev/full")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("error: the output cannot be written: No space left")


@pytest.mark.skipif(not _FULL.exists(), reason="a device that is always full")
def test_where_errors_cannot_be_said_the_exit_code_says_it(tmp_path: Path) -> None:
    assert _devfix(tmp_path, "check", ">/dev/full 2>/dev/full").returncode == 2


@pytest.mark.skipif(os.name != "posix", reason="the shell closes streams there")
@pytest.mark.parametrize(
    ("words", "streams", "status"),
    [
        ("check", ">&-", 1),
        ("check", ">&- 2>&-", 1),
        ("check missing.py", ">&- 2>&-", 2),
        ("check -", "<&-", 0),
        ("apply", ">&- 2>&- <&-", 0),
    ],
)
def test_closed_streams_change_no_exit_code(tmp_path: Path, words: str, streams: str, status: int) -> None:
    done = _devfix(tmp_path, words, streams)
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    fixed = "torch.ones(1, 4" + ", device" in (tmp_path / "a.py").read_text()
    assert fixed == words.startswith("apply")


def test_an_error_of_a_file_or_of_devfix_itself_is_none_of_a_stream() -> None:
    assert not standard_streams.given_up(OSError(28, "No space left on device", "model.py"))
    assert not standard_streams.given_up(BrokenPipeError(32, "Broken pipe"))
    assert not standard_streams.given_up(ValueError("28"))


class Terminal(io.StringIO):
    """Stands for one."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("color", "environment", "coloured"),
    [
        ("auto", {"FORCE_COLOR": "1"}, True),
        ("auto", {"FORCE_COLOR": "0"}, False),
        ("auto", {"FORCE_COLOR": ""}, False),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ("never", {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colours_can_be_asked_for_where_there_is_no_terminal(
    color: str, environment: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    paint = paint_for(color, io.StringIO())
    assert (paint.on, paint.terminal) == (coloured, False)
    assert not paint_of_patch(color, io.StringIO()).on


def test_a_patch_has_the_colours_of_a_terminal_and_those_that_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert paint_of_patch("auto", Terminal()).on
    assert paint_of_patch("always", io.StringIO()).on
