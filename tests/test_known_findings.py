"""Baselines, commits, comments and `devfix config` from the command line, on a toy analysis."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from fakes import UNSAFE, ToyEditError, WordRule, identity, toy_edits
from notebook_texts import notebook_text, program_of
from typer.testing import CliRunner

from devfix import commands, engine, writing
from devfix.cli import app
from devfix.cli.options import OutputFormat
from devfix.config.keys import OUTPUT_FORMATS
from devfix.engine import Rewriting
from devfix.registry import Loaded, Rule
from devfix.report.formats import FORMATS

KNOWN: list[Rule] = [
    WordRule("DF101", "bad", "good"),
    WordRule("DF102", "worse", "better", UNSAFE),
    WordRule("DF701", "slow"),
]
CODE = "import torch\nbad\nworse\n"


@pytest.fixture(autouse=True)
def _toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(commands, "load", lambda: Loaded(tuple(KNOWN)))
    monkeypatch.setattr(engine, "_analyse", identity)
    monkeypatch.setattr(engine, "_rewriting", lambda: Rewriting(toy_edits, ToyEditError))


def run(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments), input=stdin, catch_exceptions=False)
    return result.exit_code, result.stdout_bytes.decode(), result.stderr


def found(*arguments: str, stdin: bytes = b"") -> list[str]:
    """The findings that are reported, as ``path:line code``."""
    out = run("check", "--output-format", "json", *arguments, stdin=stdin)[1]
    return [
        f"{file['path']}:{finding['span']['line']} {finding['code']}"
        for file in json.loads(out)["files"]
        for finding in file["findings"]
    ]


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def git(*words: str) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.getcwd(),
        **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "n"),
        **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "n@example.org"),
    }
    subprocess.run(["git", *words], check=True, capture_output=True, env=environment)


def commit() -> None:
    if not Path(".git").exists():
        git("init", "-q", ".")
    git("add", "-A")
    git("commit", "-q", "-m", "m", "--no-gpg-sign")


# ---- baselines


def test_a_baseline_hides_what_it_knows() -> None:
    write("a.py", CODE)
    code, out, _ = run("check", "--write-baseline")
    assert (code, out.startswith("Wrote 2 findings to devfix-baseline.json; use it with --baseline")) == (
        0,
        True,
    )
    write("devfix.toml", 'baseline = "devfix-baseline.json"\n')
    assert run("check") == (
        0,
        "No findings in 1 file.\n",
        "2 known findings are left out (devfix-baseline.json)\n",
    )
    write("a.py", "import os\n" + CODE + "bad\n")
    assert found() == ["a.py:5 DF101"]
    assert found("--no-baseline") == ["a.py:3 DF101", "a.py:4 DF102", "a.py:5 DF101"]
    other = write("other.json", '{"version": 1, "findings": []}')
    assert len(found("--baseline", str(other))) == 3


@pytest.mark.parametrize("option", ["--write-baseline", "--update-baseline"])
def test_a_name_that_is_no_program_is_not_taken_for_that_of_a_baseline(option: str) -> None:
    write("a.py", CODE)
    write("b.json", "{}")
    for name in ("b.json", "c.json"):
        code, out, err = run("check", option, name)
        assert (code, out) == (2, "")
        assert err.startswith(f"error: nothing was checked: {name}; `--baseline FILE` says")
        assert not Path("devfix-baseline.json").exists()


def test_what_is_known_is_not_fixed() -> None:
    path = write("a.py", "import torch\nbad\n")
    run("check", "--write-baseline", "--baseline", "b.json")
    path.write_text("import torch\nbad\nx = bad\n")
    code, out, err = run("apply", "--baseline", "b.json")
    assert (code, out, err) == (0, "Fixed 1 finding in 1 file.\n", "1 known finding is left out (b.json)\n")
    assert path.read_text() == "import torch\nbad\nx = good\n"
    assert run("apply", "--baseline", "b.json")[1] == "Nothing to fix.\n"
    assert run("apply")[0] == 0
    assert path.read_text() == "import torch\ngood\nx = good\n"


def test_an_update_keeps_what_was_not_looked_at() -> None:
    write("a.py", CODE)
    write("b.py", CODE)
    run("check", "--write-baseline")
    write("a.py", "import torch\n")
    write("c.py", "import torch\nbad\n")
    assert run("check", "--update-baseline", "a.py")[0] == 0
    entries = json.loads(Path("devfix-baseline.json").read_text())["findings"]
    assert [(entry["path"], entry["rule"]) for entry in entries] == [("b.py", "DF101"), ("b.py", "DF102")]
    run("check", "--update-baseline", "--select", "DF101")
    entries = json.loads(Path("devfix-baseline.json").read_text())["findings"]
    assert [(entry["path"], entry["rule"]) for entry in entries] == [
        ("b.py", "DF101"),
        ("b.py", "DF102"),
        ("c.py", "DF101"),
    ]


def test_what_is_gone_is_told_and_can_be_pruned() -> None:
    write("a.py", CODE)
    write("b.py", CODE)
    run("check", "--write-baseline")
    write("a.py", "import torch\nbad\n")
    Path("b.py").unlink()
    baseline = ("--baseline", "devfix-baseline.json")
    warning = "warning: devfix-baseline.json: {}; `devfix check --prune-baseline` takes them out\n"
    known = "1 known finding is left out (devfix-baseline.json)\n"
    assert run("check", *baseline)[2] == known + warning.format("3 findings of it are gone")
    Path("devfix-baseline.json").rename("other.json")
    told = run("check", "--baseline", "other.json")[2]
    assert "`devfix check --baseline other.json --prune-baseline` takes them out" in told
    Path("other.json").rename("devfix-baseline.json")
    chosen = run("check", *baseline, "--select", "DF101")[2]
    assert chosen == known + warning.format("2 findings of it are gone")
    code, _, err = run("check", *baseline, "--prune-baseline")
    assert (code, err) == (0, "Took 3 findings out of devfix-baseline.json.\n" + known)
    assert run("check", *baseline)[2] == known


def test_a_file_that_cannot_be_read_loses_nothing() -> None:
    write("a.py", CODE)
    run("check", "--write-baseline")
    write("a.py", "import torch; def (")
    assert run("check", "--update-baseline")[0] == 2
    assert len(json.loads(Path("devfix-baseline.json").read_text())["findings"]) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--baseline", "no.json"), "the baseline no.json does not exist"),
        (("--write-baseline", "--add-ignore"), "go one at a time"),
        (("--write-baseline", "--no-baseline"), "exclude each other"),
        (("--add-ignore=a # b",), "a reason is one line without `#`"),
        (("--baseline-commit", "HEAD"), "is in no git repository"),
    ],
)
def test_what_cannot_be(arguments: tuple[str, ...], message: str) -> None:
    write("a.py", CODE)
    code, out, err = run("check", *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_what_is_no_baseline_is_kept_wherever_a_part_of_a_repository_has_its_own() -> None:
    git("init", "-q", ".")
    write("profile", "mine")
    write("part/devfix.toml", 'baseline = "../profile"')
    write("part/a.py", CODE)
    os.chdir("part")
    code, out, err = run("check", "--write-baseline")
    assert (code, out) == (2, "")
    assert "the baseline" in err
    assert "cannot be read" in err
    assert Path("../profile").read_text() == "mine"


def test_a_file_that_is_no_program_with_tensors_any_more_has_nothing_known() -> None:
    write("a.py", CODE)
    assert run("check", "--write-baseline")[0] == 0
    write("a.py", "x = 1\n")
    assert "2 findings of it are gone" in run("check", "--baseline", "devfix-baseline.json")[2]
    run("check", "--baseline", "devfix-baseline.json", "--prune-baseline")
    assert json.loads(Path("devfix-baseline.json").read_text())["findings"] == []


@pytest.mark.parametrize("words", [("--write-baseline",), ("--update-baseline",), ("--prune-baseline",)])
def test_a_project_chooses_no_file_outside_of_it(words: tuple[str, ...], tmp_path: Path) -> None:
    write("home/profile", '{"version": 1, "findings": []}')
    write("project/devfix.toml", 'baseline = "../home/profile"')
    write("project/a.py", CODE)
    os.chdir("project")
    before = (tmp_path / "home/profile").read_bytes()
    code, out, err = run("check", *words)
    assert (code, out) == (2, "")
    assert "lies outside of" in err
    assert (tmp_path / "home/profile").read_bytes() == before
    assert run("check", *words, "--baseline", "../home/profile")[0] in (0, 1)


def test_what_is_told_besides_opens_no_other_place(tmp_path: Path) -> None:
    write("profile", "mine")
    write("project/devfix.toml", 'baseline = "../profile"')
    write("project/a.py", CODE)
    os.chdir("project")
    assert run("check", "--write-baseline", "--config", "adopt = false")[0] == 2
    assert (tmp_path / "profile").read_text() == "mine"
    assert run("check", "--write-baseline", "--config", "baseline = '../known'")[0] == 0
    assert (tmp_path / "known").exists()


@pytest.mark.parametrize("name", ["devfix.toml", "pyproject.toml"])
@pytest.mark.parametrize("of_part", ['extend = "../../devfix.toml"', 'baseline = "../../known.json"'])
def test_a_part_of_a_repository_has_the_baseline_of_all_of_it(name: str, of_part: str) -> None:
    git("init", "-q", ".")
    write("devfix.toml", 'baseline = "known.json"')
    write(f"parts/a/{name}", f"[tool.devfix]\n{of_part}\n")
    write("parts/a/a.py", CODE)
    os.chdir("parts/a")
    assert run("check", "--write-baseline")[0] == 0
    assert Path("../../known.json").exists()
    assert run("check")[0] == 0
    write("a.py", "import torch\n")
    assert run("check", "--prune-baseline")[0] == 0
    assert json.loads(Path("../../known.json").read_text())["findings"] == []


def test_a_link_of_a_project_is_no_place_for_a_baseline(tmp_path: Path) -> None:
    write("project/a.py", CODE)
    os.chdir("project")
    Path("devfix-baseline.json").symlink_to(tmp_path / "profile")
    code, out, err = run("check", "--write-baseline")
    assert (code, out) == (2, "")
    assert "lies outside of" in err
    assert not (tmp_path / "profile").exists()


# ---- commits


def test_only_what_a_commit_does_not_have_is_new() -> None:
    write("pkg/a.py", CODE)
    write("pkg/gone.py", "import torch\nbad\n")
    commit()
    write("pkg/a.py", "import os\n" + CODE + "x = bad\n")
    Path("pkg/gone.py").rename("pkg/moved.py")
    write("pkg/new.py", "import torch\nbad\nbad\n")
    assert found("--baseline-commit", "HEAD") == [
        "pkg/a.py:5 DF101",
        "pkg/new.py:2 DF101",
        "pkg/new.py:3 DF101",
    ]
    assert found("pkg/a.py", "--baseline-commit", "HEAD") == ["pkg/a.py:5 DF101"]
    stdin = CODE.encode() + b"y = bad\n"
    words = ("-", "--stdin-filename", "pkg/a.py", "--baseline-commit", "HEAD")
    assert found(*words, stdin=stdin) == ["pkg/a.py:4 DF101"]
    assert run("apply", "--baseline-commit", "HEAD", "pkg/a.py")[0] == 0
    assert Path("pkg/a.py").read_text() == "import os\n" + CODE + "x = good\n"
    os.chdir("pkg")
    assert found("--baseline-commit", "HEAD", "a.py") == []


def test_a_revision_that_is_not_there_is_an_error() -> None:
    write("a.py", CODE)
    commit()
    for revision in ("nope", "--all", "HEAD:a.py"):
        code, _, err = run("check", f"--baseline-commit={revision}")
        assert code == 2
        assert f"there is no commit `{revision}`" in err


def test_a_repository_runs_nothing() -> None:
    write("a.py", CODE)
    commit()
    trap = write("trap.sh", "#!/bin/sh\ntouch sprung\n")
    trap.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "core.sshCommand",
        "filter.x.smudge",
        "diff.x.textconv",
    ):
        git("config", key, str(trap.absolute()))
    write(".git/info/attributes", "*.py filter=x diff=x\n")
    hook = write(".git/hooks/post-index-change", "#!/bin/sh\ntouch sprung\n")
    hook.chmod(0o755)
    write("a.py", CODE + "bad\n")
    assert found("--baseline-commit", "HEAD") == ["a.py:4 DF101"]
    assert not Path("sprung").exists()


def test_links_and_files_in_no_language_of_ours_are_passed_over() -> None:
    write("a.py", CODE)
    write("notes.txt", "bad\n")
    Path("link.py").symlink_to("a.py")
    write("é b.py", "import torch\nbad\n")
    commit()
    assert found("--baseline-commit", "HEAD") == []


def test_a_commit_that_is_not_all_there_is_an_error() -> None:
    write("a.py", CODE)
    commit()
    blob = subprocess.run(
        ["git", "rev-parse", "HEAD:a.py"], check=True, capture_output=True, text=True
    ).stdout.strip()
    Path(".git/objects", blob[:2], blob[2:]).unlink()
    code, out, err = run("check", "--baseline-commit", "HEAD")
    assert (code, out) == (2, "")
    assert "a.py of HEAD is not in this clone" in err


# ---- comments


def test_comments_are_written_for_all_that_is_found() -> None:
    path = write("a.py", "import torch\r\nbad; worse\r\nx = '''\r\n''', bad\r\n")
    code, out, err = run("check", "--add-ignore")
    assert (code, out, err) == (0, "Suppressed 3 findings by 2 comments.\n", "")
    expected = b"import torch\r\nbad; worse  # devfix: ignore[DF101, DF102]\r\nx = '''\r\n''', bad  # devfix: ignore[DF101]\r\n"
    assert path.read_bytes() == expected
    assert run("check", "--add-ignore") == (0, "Nothing to suppress.\n", "")
    assert path.read_bytes() == expected
    assert run("check")[0] == 0


def test_what_could_not_be_written_is_not_suppressed(monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.py", "import torch\nbad\n")
    path = write("b.py", "import torch\nbad; worse\n")
    monkeypatch.setattr(writing, "may_write", lambda path: path != "b.py")
    code, out, err = run("check", "--add-ignore")
    assert (code, out) == (2, "Suppressed 1 finding by 1 comment.\n")
    assert err == "error: b.py is read-only, or its folder is\n"
    assert run("check", "--add-ignore", "b.py")[:2] == (2, "Nothing was suppressed.\n")
    assert path.read_text() == "import torch\nbad; worse\n"


def test_comments_may_have_a_reason() -> None:
    path = write("a.py", "import torch\nbad\n")
    assert run("check", "a.py", "--add-ignore=see the plan")[0] == 0
    assert path.read_text() == "import torch\nbad  # devfix: ignore[DF101] see the plan\n"


def test_what_is_known_gets_no_comment() -> None:
    path = write("a.py", "import torch\nbad\n")
    run("check", "--write-baseline", "--baseline", "b.json")
    path.write_text("import torch\nbad\nworse\n")
    run("check", "--baseline", "b.json", "--add-ignore")
    assert path.read_text() == "import torch\nbad\nworse  # devfix: ignore[DF102]\n"


def test_a_comment_that_suppresses_nothing_is_left_to_apply() -> None:
    path = write("a.py", "import torch\nx = 1  # devfix: ignore[DF101]\nbad\n")
    code, out, _ = run("check", "--add-ignore", "--output-format", "concise")
    assert code == 1
    assert "DF901" in out
    assert out.endswith("Suppressed 1 finding by 1 comment.\n")
    assert path.read_text() == "import torch\nx = 1  # devfix: ignore[DF101]\nbad  # devfix: ignore[DF101]\n"


def test_comments_are_written_to_the_cells_of_notebooks() -> None:
    cells = ["import torch", "%%time\nbad", "x = [\n    bad,\n]"]
    path = write("n.ipynb", notebook_text(cells))
    assert run("check", "--add-ignore") == (0, "Suppressed 2 findings by 2 comments.\n", "")
    text = path.read_text(encoding="utf-8")
    assert "bad  # devfix: ignore[DF101]" in program_of(text)
    assert "    bad,  # devfix: ignore[DF101]" in program_of(text)
    assert run("check")[0] == 0


def test_comments_for_standard_input() -> None:
    assert run("check", "-", "--add-ignore", stdin=b"import torch\nbad\n") == (
        0,
        "import torch\nbad  # devfix: ignore[DF101]\n",
        "Suppressed 1 finding by 1 comment.\n",
    )
    assert run("check", "-", "--add-ignore", stdin=b"x = 1\n")[1] == "x = 1\n"


def test_a_read_only_file_is_left_alone() -> None:
    if os.geteuid() == 0:
        pytest.skip("everything may be written")
    write("a.py", CODE).chmod(0o444)
    code, _, err = run("check", "--add-ignore")
    assert code == 2
    assert "read-only" in err


# ---- settings


def test_the_format_may_be_set() -> None:
    write("a.py", "import torch\nbad\n")
    write("devfix.toml", 'output-format = "concise"\n')
    assert run("check")[1].startswith("a.py:2:1: DF101")
    assert run("check", "--output-format", "text")[1].startswith(
        "a.py:2:1: DF101 bad-found `bad` is on the CPU\n  |"
    )


def test_the_formats_are_those_there_are() -> None:
    assert tuple(FORMATS) == OUTPUT_FORMATS == tuple(each.value for each in OutputFormat)


def config(*arguments: str) -> tuple[dict[str, list[tuple[str, str]]], dict[str, tuple[bool, str]], str]:
    code, out, err = run("config", *arguments, "--output-format", "json")
    assert (code, err) == (0, "")
    data = json.loads(out)
    settings: dict[str, list[tuple[str, str]]] = {}
    for each in data["settings"]:
        settings.setdefault(each["key"], []).append((each["value"], each["place"]))
    rules = {rule["code"]: (rule["runs"], rule["reason"]) for rule in data["rules"]}
    return settings, rules, data["left_out"]


def test_what_holds_for_a_file_and_why() -> None:
    write("devfix.toml", "select = ['DF1']\nexclude = ['old']\n")
    write(
        "sub/devfix.toml",
        "extend = '../devfix.toml'\nignore = ['DF102']\n[per-file-ignores]\n'x*' = ['DF101']\n",
    )
    settings, rules, left_out = config("sub/a.py", "--extend-select", "DF7")
    assert settings["select"] == [('["DF1"]', "devfix.toml:1")]
    assert settings["ignore"] == [('["DF102"]', "sub/devfix.toml:2")]
    assert settings["extend-select"] == [('["DF7"]', "--extend-select")]
    assert settings["device-policy"] == [('"cuda"', "default")]
    assert rules == {
        "DF101": (True, "`DF1` in `select` (devfix.toml:1)"),
        "DF102": (False, "`DF102` in `ignore` (sub/devfix.toml:2)"),
        "DF701": (True, "`DF7` in `extend-select` (--extend-select)"),
        "DF901": (False, "not in `select` (devfix.toml:1)"),
    }
    assert left_out == ""
    assert config("sub/x.py")[1]["DF101"] == (
        False,
        "`DF101` for `x*` in `per-file-ignores` (sub/devfix.toml:3)",
    )
    assert config("old/a.py")[2] == "`old` in `exclude` (devfix.toml:2)"
    assert config("build/a.py")[2] == "build is a folder that is never searched"
    assert config("sub/a.py", "--select", "DF101")[0]["ignore"] == [("[]", "default")]


def test_reasons_agree_with_what_runs() -> None:
    write("devfix.toml", "extend-select = ['DF701']\nignore = ['DF7']\nunfixable = ['DF101']\n")
    write("a.py", "import torch\nbad\nworse\nslow\n")
    for arguments in ((), ("--select", "DF102"), ("--ignore", "DF1"), ("--isolated",), ("--select", "ALL")):
        _, rules, _ = config("a.py", *arguments)
        running = {code for code, (runs, _) in rules.items() if runs} - {"DF901"}
        assert {each.split()[1] for each in found(*arguments)} == running


def test_what_holds_is_told_to_people() -> None:
    write("devfix.toml", "unfixable = ['DF101']\n")
    code, out, _ = run("config", "a.py")
    assert code == 0
    assert out.startswith(
        "a.py\nsettings files: devfix.toml\nleft out when a folder is searched: no\n\nof the file:\n"
    )
    assert '  unfixable = ["DF101"] ' in out
    assert "  DF101 bad-found           by default; not fixed\n" in out
    assert "DF701 slow-found  off by default\n" in out
    assert run("config")[1].startswith(".\n")
