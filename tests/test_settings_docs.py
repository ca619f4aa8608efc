"""``docs/settings.md`` holds every key, as the table of keys has it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from devfix.cli import app
from devfix.config.keys import KEYS, Key

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "settings.md").read_text(encoding="utf-8")


def section(key: Key) -> str:
    """What the page says of a key."""
    return (
        f"### {key.name}\n\n{key.summary}\n\n- of the {key.scope}; {key.type}; default: `{key.default}`\n\n"
        f"```toml\n{key.example}\n```\n"
    )


@pytest.mark.parametrize("key", KEYS.values(), ids=list(KEYS))
def test_the_page_has_the_key(key: Key) -> None:
    assert section(key) in PAGE, section(key)


def test_the_page_has_no_other_key() -> None:
    assert re.findall(r"^### (.*)$", PAGE, re.MULTILINE) == list(KEYS)


def test_the_first_example_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    example = re.search(r"```toml\n(# devfix\.toml\n.*?)```", PAGE, re.DOTALL)
    assert example is not None
    Path("devfix.toml").write_text(example[1], encoding="utf-8")
    Path("a.py").write_text("import torch\n", encoding="utf-8")
    assert CliRunner().invoke(app, ["check", "--no-cache"], catch_exceptions=False).exit_code == 0


def test_the_options_on_the_pages_are_there() -> None:
    helps = "".join(
        CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"}).stdout
        for command in ("check", "apply")
    )
    for name in ("settings.md", "suppressions-and-baselines.md"):
        for option in set(re.findall(r"`(--[a-z][a-z-]*[a-z])", (DOCS / name).read_text(encoding="utf-8"))):
            assert option in helps, option


def in_order(text: str, sample: str) -> bool:
    """Whether a text is what a sample shows, with anything where the sample has dots."""
    return re.fullmatch(re.escape(sample).replace(re.escape("  ...\n"), ".*"), text, re.DOTALL) is not None


def test_the_sample_is_what_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sample = re.search(r"```text\n\$ devfix config src/model\.py\n(.*?)```", PAGE, re.DOTALL)
    assert sample is not None
    Path("src").mkdir()
    Path("devfix.toml").write_text('select = ["DF1", "DF5"]\n', encoding="utf-8")
    Path("src/devfix.toml").write_text('extend = "../devfix.toml"\nignore = ["DF103"]\n', encoding="utf-8")
    told = CliRunner().invoke(app, ["config", "src/model.py"], catch_exceptions=False).stdout
    assert in_order(_narrow(told), _narrow(sample[1])), told


def _narrow(text: str) -> str:
    """A text whose columns are as near to each other as can be."""
    return re.sub(r"(\S) {2,}", r"\1  ", text)


def test_the_pages_commands_do_what_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (DOCS / "suppressions-and-baselines.md").read_text(encoding="utf-8")
    program = (
        "import torch\n\nmodel = torch.nn.Linear(4, 2).cuda()\n"
        "print(model(torch.ones(1, 4)))\nprint(model(torch.zeros(1, 4)))\n"
    )
    Path("train.py").write_text(program, encoding="utf-8")
    write, wrote, use, used = re.search(
        r"```text\n\$ devfix (check --write-.*?)\n(.*?\n)\$ devfix (.*?)\n(.*?\n)```", page
    ).groups()  # type: ignore[union-attr]
    add = re.search(r"```text\n\$ devfix (check --add-.*?)\n(.*?\n)```", page)
    assert add is not None
    for words, expected in ((write, wrote), (use, used), add.groups()):
        assert CliRunner().invoke(app, shlex.split(words), catch_exceptions=False).stdout == expected
