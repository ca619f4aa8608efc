"""Named paths become files: each once, in order, and nothing is passed over in silence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from devfix.config import Configuration, Settings, globs
from devfix.discovery import collect, exclusion, short_path


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def touch(*names: str) -> None:
    for name in names:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n", encoding="utf-8")


def names(*paths: str, settings: Settings | None = None) -> list[str]:
    files, skipped = collect(paths, settings or Settings())
    assert skipped == []
    return [str(file) for file in files]


def reasons(*paths: str) -> dict[str, str]:
    return {skipped.path: skipped.reason for skipped in collect(paths, Settings())[1] if skipped.fault}


def test_a_folder_gives_its_python_files_in_order() -> None:
    touch("b.py", "a/z.py", "a/b.pyw", "notes.txt", "a/data.json")
    assert names(".") == ["a/b.pyw", "a/z.py", "b.py"]


def test_a_file_named_twice_is_taken_once(tmp_path: Path) -> None:
    touch("a.py", "pkg/b.py")
    Path("link.py").symlink_to("a.py")
    assert names("a.py", "./a.py", str(tmp_path / "a.py"), "pkg", "pkg/b.py") == ["a.py", "pkg/b.py"]
    assert names("link.py", "a.py") == ["link.py"]


@pytest.mark.parametrize(
    "folder", [".git", ".venv", "venv", "build", "dist", "node_modules", "__pycache__", "x.egg-info"]
)
def test_foreign_folders_are_left_out(folder: str) -> None:
    touch(f"{folder}/a.py", f"deep/{folder}/a.py", "mine.py", "site-packages/p.py", ".hidden.py")
    assert names(".") == ["mine.py"]
    assert names(folder) == [f"{folder}/a.py"]


def test_an_environment_under_any_name_is_left_out() -> None:
    touch("env39/lib/a.py", "env39/pyvenv.cfg", "mine.py")
    assert names(".") == ["mine.py"]


def test_excluded_files_are_left_out_unless_named() -> None:
    touch("vendor/a.py", "old/b.py", "keep/b.py")
    settings = Settings(exclude=globs("vendor", "old/*.py"))
    assert names(".", settings=settings) == ["keep/b.py"]
    assert names("vendor/a.py", settings=settings) == ["vendor/a.py"]
    assert collect(["vendor/a.py", "vendor", "keep/b.py"], settings, force_exclude=True)[0] == [
        Path("keep/b.py")
    ]


def test_each_folder_has_settings_of_its_own() -> None:
    touch("old/a.py", "new/old/a.py", "new/gen/a.py", "gen/a.py")
    Path("devfix.toml").write_text("exclude = ['old']\n", encoding="utf-8")
    Path("new/devfix.toml").write_text("exclude = ['gen']\n", encoding="utf-8")
    configuration = Configuration()
    assert [str(path) for path in collect(["."], configuration)[0]] == ["gen/a.py", "new/old/a.py"]
    found = exclusion("old/a.py", configuration)
    assert found is not None
    assert found.pattern == "old"
    assert exclusion("new/old/a.py", configuration) is None


def test_what_cannot_be_taken_is_a_fault() -> None:
    touch("notes.txt")
    Path("loop.py").symlink_to("loop.py")
    Path("broken.py").symlink_to("nowhere.py")
    os.mkfifo("pipe.py")
    assert reasons("missing.py", "notes.txt", "loop.py", "broken.py", "pipe.py") == {
        "missing.py": "does not exist",
        "notes.txt": "is not a Python file (.py) or notebook (.ipynb)",
        "loop.py": "is a link to itself",
        "broken.py": "is a broken link",
        "pipe.py": "is not a regular file",
    }
    assert reasons(".") == {"loop.py": "is a link to itself", "broken.py": "is a broken link"}


def test_links_to_folders_make_no_loop() -> None:
    touch("a/b.py")
    Path("a/again").symlink_to("..")
    assert names(".") == ["a/b.py"]


def test_the_order_does_not_depend_on_how_paths_are_given() -> None:
    touch("a.py", "b.py", "c.py")
    assert names("c.py", "a.py", "b.py") == names(".") == ["a.py", "b.py", "c.py"]


def test_paths_outside_are_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    touch("a.py", "sub/b.py")
    monkeypatch.chdir("sub")
    assert names("../a.py", "b.py") == [str(tmp_path / "a.py"), "b.py"]
    assert short_path(".") == ""
