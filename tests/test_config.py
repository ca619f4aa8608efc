"""Settings are read strictly: what is not understood is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from devfix.config import ConfigError, Settings, find_config, load_settings, parse_settings


def write(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "pyproject.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_key_is_read(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """
[tool.devfix]
select = ["DF1"]
ignore = ["created-on-cpu"]
exclude = ["vendor", "old/*.py"]
device-policy = "mps-aware"
baseline = "devfix-baseline.json"
[tool.devfix.per-file-ignores]
"tests/*" = ["DF4"]
""",
    )
    assert load_settings(path) == Settings(
        select=("DF1",),
        ignore=("created-on-cpu",),
        per_file_ignores=(("tests/*", ("DF4",)),),
        exclude=("vendor", "old/*.py"),
        device_policy="mps-aware",
        baseline="devfix-baseline.json",
        root=str(tmp_path),
    )


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"selct": []}, "unknown key `selct` in [tool.devfix]; did you mean `select`?"),
        (
            {"device_policy": "cuda"},
            "unknown key `device_policy` in [tool.devfix]; did you mean `device-policy`?",
        ),
        ({"zzz": 1}, "unknown key `zzz` in [tool.devfix]; the keys are baseline, device-policy, exclude"),
        ({"select": "DF1"}, "`select` must be a list of strings"),
        ({"ignore": [1]}, "`ignore` must be a list of strings"),
        ({"device-policy": "rocm"}, "`device-policy` must be one of cuda, mps-aware, accelerator"),
        ({"device-policy": ["cuda"]}, "`device-policy` must be one of"),
        ({"baseline": 3}, "`baseline` must be a string"),
        ({"per-file-ignores": ["a"]}, "`per-file-ignores` must be a table"),
        ({"per-file-ignores": {"a.py": "DF1"}}, "`per-file-ignores.a.py` must be a list of strings"),
        ("text", "[tool.devfix] must be a table"),
    ],
)
def test_nonsense_is_an_error(table: object, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_settings(table)
    assert message in str(caught.value)


def test_an_error_names_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, "[tool.devfix]\nselct = []\n")
    with pytest.raises(ConfigError, match=r"pyproject\.toml: unknown key"):
        load_settings(path)


def test_a_broken_file_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path, "[tool.devfix\n")
    with pytest.raises(ConfigError, match=r"pyproject\.toml"):
        load_settings(path)


def test_the_nearest_file_with_a_table_wins(tmp_path: Path) -> None:
    outer = write(tmp_path, "[tool.devfix]\n")
    write(tmp_path / "a", "[project]\nname = 'x'\n")
    inner = write(tmp_path / "b", "[tool.devfix]\n")
    assert find_config(tmp_path / "a") == outer
    assert find_config(tmp_path / "b") == inner


def test_the_command_line_adds_to_the_file() -> None:
    settings = Settings(ignore=("DF1",)).extended(ignore=("DF2",), exclude=("x",), adopt=True)
    assert (settings.ignore, settings.exclude, settings.adopt) == (("DF1", "DF2"), ("x",), True)
