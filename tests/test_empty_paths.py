"""An empty word, such as that of a shell's variable that is not set, is no path, and least of all the current folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from devfix.cli import app

_BROKEN = "import torch\nprint(torch.ones(2).cuda() + torch.ones(2))\n"


@pytest.mark.parametrize(
    "words",
    [
        ("check", ""),
        ("check", "here.py", ""),
        ("check", "here.py", "--output-file", ""),
        ("check", "-", "--stdin-filename", ""),
        ("apply", ""),
        ("apply", "--diff", ""),
        ("prove", ""),
        ("run", ""),
        ("config", ""),
        ("clean", ""),
        ("clean", "--cache-dir", ""),
        ("new-rule", "some-name", "--pack", ""),
        ("migrate", "plan", ""),
        ("explain", "--error", ""),
    ],
)
def test_it_is_refused(words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.py").write_text(_BROKEN)
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 2
    assert done.stdout == ""
    assert "it is empty" in done.stderr or "name a script" in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["here.py"]
    assert (tmp_path / "here.py").read_text() == _BROKEN
