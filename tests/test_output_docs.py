"""The samples in ``docs/output.md``: what the commands really write."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from devfix.cli import app
from devfix.cli.options import OutputFormat

PAGE = (Path(__file__).parent.parent / "docs" / "output.md").read_text(encoding="utf-8")
PROGRAM = re.search(r"```python\n(# train\.py\n.*?)```", PAGE, re.DOTALL)
SAMPLES = re.findall(r"```text\n\$ devfix (.*?)\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert PROGRAM is not None
    (tmp_path / ".git").mkdir()
    (tmp_path / "train.py").write_text(PROGRAM[1], encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def in_order(text: str, sample: str) -> bool:
    """Whether a text is what a sample shows, with anything where the sample has dots."""
    pattern = re.escape(sample.rstrip("\n")).replace(re.escape("..."), ".*")
    return re.fullmatch(pattern, text.rstrip("\n"), re.DOTALL) is not None


@pytest.mark.parametrize(("arguments", "sample"), [each for each in SAMPLES if " -i " not in each[0]])
def test_samples(arguments: str, sample: str) -> None:
    result = CliRunner().invoke(app, shlex.split(arguments), catch_exceptions=False)
    assert in_order(result.stdout, sample), result.stdout


def test_each_format_has_a_sample_or_a_command() -> None:
    for member in OutputFormat:
        assert f"\n## {member.value}\n" in PAGE
        assert f"| `{member.value}`" in PAGE
