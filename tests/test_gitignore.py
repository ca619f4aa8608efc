"""What Git ignores is left out of a search; Git itself says what that is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import sweeps
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from devfix.cli import app
from devfix.config import Settings
from devfix.discovery import collect, would_collect

FILES = (
    "a.py", "b.py", "ab.py", "c d.py", "x/a.py", "x/b.py", "x/y/a.py", "x/y/ab.py", "x/y/z/b.py", "y/a.py", "y/x/b.py",
    "A/a1.py", "A/b2.py", "z!.py", "#c.py", "[x].py", "y/-.py",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    git("init", "-q")
    for name in FILES:
        write(name, "x = 1\n")


def git(*words: str) -> str:
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout


def write(name: str, text: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


def found(*paths: str, **options: bool) -> list[str]:
    return [str(path) for path in collect(paths or ["."], Settings(**options))[0]]  # type: ignore[arg-type]


def untracked() -> list[str]:
    """The Python files that Git does not ignore."""
    listed = git("ls-files", "-z", "--others", "--exclude-standard").split("\0")
    return sorted((name for name in listed if name.endswith(".py")), key=Path)


def write_all(ignores: dict[str, str]) -> None:
    for place in (".gitignore", "x/.gitignore", "x/y/.gitignore", ".git/info/exclude"):
        write(place, ignores.get(place, ""))
    write("../home/.config/git/ignore", ignores.get("user", ""))


@pytest.mark.parametrize(
    "lines",
    [
        "a.py",
        "/a.py",
        "x/",
        "x/a.py",
        "x/*\n!x/y",
        "x/\n!x/a.py",
        "*.py\n!a.py\n!*/",
        "**/a.py",
        "x/**",
        "x/**/b.py",
        "**/y/*.py",
        "/**/y",
        "x**b.py",
        "a?.py\n[!a]*.py",
        "[a-b].py",
        "[[:upper:]]",
        "[]a].py\n[b",
        "\\#c.py\n# a.py\n\\!a.py",
        "a.py \nc d.py\\ \nb.py  ",
        "c\\ d.py   ",
        "a.py\r\nb.py\r\n",
        "\ufeffa.py",
        "/\n!\nx//\n",
        "\\[x\\].py\na\\",
        "a.py\n!a.py\na.py",
        "[z-a].py\n[[:nothing:]]*",
        "[\\]].py\n*[!.]py",
        "x/y/*/\n",
        "**\n!a.py",
        "y/[--0].py",
        "A/*[12].py\n!A/*[^1].py",
        "*a*b*",
        "x/*y*/*a*b.py",
        "**/x/**/*b*",
        "**/x/**/y/**/a.py",
        "/**/*y/**/*a*p*",
    ],
)
def test_patterns_mean_what_git_says(lines: str) -> None:
    write_all({".gitignore": lines})
    assert found() == untracked()


@pytest.mark.skipif(sys.version_info < (3, 11), reason="there every way to read a path is tried")
@pytest.mark.parametrize(
    ("pattern", "name"), [("*a" * 40 + "b", "a" * 80), ("**/a/" * 30 + "b", "a/" * 90 + "c.py")]
)
def test_many_stars_end(pattern: str, name: str) -> None:
    write(".gitignore", pattern)
    write(f"{name}.py" if "/" not in name else name, "x = 1\n")
    assert len(found()) == len(FILES) + 1


globs = st.text("ab*?/![]\\-x.y ^", min_size=1, max_size=7) | st.sampled_from(
    ["*.py", "x/", "**/a.py", "!a.py", "!x/y/", "/x/**", "y", "!*/", "!**", "/*", "!/x"]
)
texts = st.lists(globs, max_size=5).map("\n".join)


@settings(
    max_examples=sweeps.number(20, all_of=60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.dictionaries(
        st.sampled_from([".gitignore", "x/.gitignore", "x/y/.gitignore", ".git/info/exclude", "user"]), texts
    )
)
def test_all_files_of_patterns_together_mean_what_git_says(ignores: dict[str, str]) -> None:
    write_all(ignores)
    assert found() == untracked()


def test_outside_of_repositories_nothing_is_ignored() -> None:
    write(".gitignore", "a.py\n")
    write("inner/.gitignore", "b.py\n")
    write("inner/b.py", "")
    assert "a.py" not in found()
    Path(".git").rename("git")
    assert {"a.py", "inner/b.py"} < set(found())


def test_a_repository_within_has_patterns_of_its_own() -> None:
    write(".gitignore", "a.py\nx/y/z/\n")
    git("init", "-q", "x")
    assert {"x/a.py", "x/y/a.py", "x/y/z/b.py"} < set(found())
    assert "y/a.py" not in found()


def test_a_work_tree_has_the_patterns_of_its_repository() -> None:
    git("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "--allow-empty", "-m", "m")
    git("worktree", "add", "-q", "../tree")
    write(".git/info/exclude", "a.py\n")
    for name in ("a.py", "b.py"):
        write(f"../tree/{name}", "")
    assert [Path(name).name for name in found("../tree")] == ["b.py"]


@pytest.mark.parametrize("section", ["[core]\n\texcludesFile = ~/mine\n", '[Core]\nexcludesfile="~/mine"\n'])
def test_the_user_says_where_the_patterns_are(section: str) -> None:
    write("../home/.gitconfig", f"[user]\nname = n\n{section}[other]\nexcludesfile = no\n")
    write("../home/mine", "a.py\n")
    assert "a.py" not in found()
    assert found() == untracked()


def test_what_is_named_is_taken() -> None:
    write(".gitignore", "x/\na.py\n")
    assert found("a.py") == ["a.py"]
    assert found("x") == ["x/b.py", "x/y/ab.py", "x/y/z/b.py"]
    forced, _ = collect(["a.py", "x/b.py", "b.py"], Settings(), force_exclude=True)
    assert forced == [Path("a.py"), Path("b.py"), Path("x/b.py")]  # pre-commit names what is tracked
    assert len(found(respect_gitignore=False)) == len(FILES)
    assert not would_collect(Path("x/new.py").absolute(), Path.cwd(), Settings())
    assert would_collect(Path("y/new.py").absolute(), Path.cwd(), Settings())
    assert would_collect(Path("x/new.py").absolute(), Path.cwd(), Settings(respect_gitignore=False))


def test_a_change_of_the_patterns_is_seen() -> None:
    write(".gitignore", "a.py\n")
    assert "b.py" in found()
    write(".gitignore", "a.py\nb.py\n")
    assert "b.py" not in found()


def devfix(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    return done.exit_code, done.stdout


def test_the_commands_go_by_it_and_say_so() -> None:
    write(".gitignore", "# own\n\n/x/y/\n")
    faulty = "import torch\nx = torch.zeros(3, device='cuda')\ny = x + torch.ones(3)\n"
    write("x/y/a.py", faulty)
    for cached in ((), ("--no-cache",)):
        assert devfix("check", *cached)[0] == 0
        assert devfix("check", "--no-respect-gitignore", *cached)[0] == 1
        assert devfix("check", "x/y/a.py", *cached)[0] == 1
        assert devfix("check", "x/y/a.py", "--force-exclude", *cached)[0] == 1
        assert devfix("check", "x/y/a.py", "--force-exclude", "--exclude", "y", *cached)[0] == 0
    assert "left out when a folder is searched: `/x/y/` (.gitignore:3)\n" in devfix("config", "x/y/a.py")[1]
    assert "left out when a folder is searched: no\n" in devfix("config", "x/a.py")[1]
    write("devfix.toml", "respect-gitignore = false\n")
    assert devfix("check")[0] == 1
    assert "left out when a folder is searched: no\n" in devfix("config", "x/y/a.py")[1]
    assert devfix("check", "--respect-gitignore")[0] == 0
    write("devfix.toml", "")
    assert devfix("check")[0] == 0
    write(".gitignore", "")
    assert devfix("check")[0] == 1  # what is remembered is not taken for the answer
