"""Every command of the README and the documentation is run, or it stands below why it is not."""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import shlex
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import documented_project
import pytest
import sweeps
import torch
import typer.main
from documentation import ROOT, Block, blocks, in_order, pages, text_of
from typer.testing import CliRunner

from devfix.cli import app

#: Commands that are run in another form, and why; "" is: not at all.
INSTEAD: dict[str, tuple[str, str]] = {
    "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/devfix apply --diff path/to/your/code": (
        "devfix apply --diff path/to/your/code",
        "installing needs a package index; tests of the wheel install it",
    ),
    "python3 -m venv .venv && .venv/bin/pip install -e '.[dev]' && .venv/bin/pytest": (
        "",
        "what .ci/run does: these very tests",
    ),
    'pip install "devfix[lsp]"': ("", "needs a package index"),
    'pip install ".[lsp]"': ("", "needs a package index"),
    "pip install '.[lsp]'": ("", "needs a package index"),
    "python -m pip install -e '.[dev]'": (
        "",
        "needs a package index; the rules are found by their path here",
    ),
    "npm ci && npm test && npm run package": ("", "needs npm's registry; .ci/extension does it"),
    "npm ci && npm run e2e": ("", "needs npm's registry and a real VS Code, which tests/test_vscode.py runs"),
    "cd editors/vscode && npm ci && npm run package": ("", "needs npm's registry; .ci/extension does it"),
    "code --install-extension devfix.vsix": ("", "needs VS Code; tests/test_vscode.py runs a real one"),
    "python train.py 2>&1 | tee error.txt": ("", "fails where there is a GPU; its error is there"),
    "devfix check --output-format rdjson | reviewdog -f=rdjson -reporter=github-pr-review": (
        "devfix check --output-format rdjson",
        "needs reviewdog and a pull request; the report is held against its schema",
    ),
    "devfix run --fix analysis.ipynb": (
        "",
        "the same of a script is run; tests/test_notebooks_run.py has notebooks",
    ),
    "devfix run --fix --max-steps 20 -m pack.train": (
        "",
        "the two parts of it, a module and --fix, are run on the same page",
    ),
    "devfix migrate run gpu.toml --open": ("", "needs gh; tests/test_migration_publishing.py has one"),
    "devfix migrate run gpu.toml --close": ("", "needs gh; tests/test_migration_publishing.py has one"),
    "devfix check --baseline-commit origin/main": (
        "devfix check --baseline-commit HEAD",
        "the sample project has no remote",
    ),
}
#: Pages that are no part of the documentation and hold commands, too.
BESIDE = ("editors/vscode/e2e/README.md", "editors/vscode/walkthrough/install.md")
#: Pages whose samples, with what is written, another test runs.
SAMPLED = {
    "docs/output.md": "test_output_docs.py",
    "docs/settings.md": "test_settings_docs.py",
}
#: Commands on a page that another test has as well, in this process or once the pack is installed: a run of all has both.
ELSEWHERE = {
    ("docs/simulator.md", "pytest --simulate-accelerator --simulated-devices 2"): "test_pytest_plugin.py",
    ("docs/simulator.md", "pytest --simulate-accelerator --simulated-kind mps"): "test_pytest_plugin.py",
    ("docs/rule-packs.md", "python -m pytest"): "test_new_rule.py",
}
#: Pages whose commands go on in the folder that one of them changed to; elsewhere each block begins anew.
STAYING = ("docs/adding-a-rule.md",)
#: Exit codes that are no failure: 1 says that there are findings or changes.
FINE = {"devfix": (0, 1)}
SHELL = ("sh", "bash", "console")
#: Commands of devfix that need no process of their own, and no shell, to be what they are.
ALONE = re.compile(
    r"devfix (apply|check|config|explain|migrate|new-rule|prove|rules|run --fix)( [^|&;<>$*?`]*)?"
)

pytest_plugins = ["preloaded"]


def commands_of(block: Block) -> Iterator[str]:
    """The commands of a block, without comments; of a session those behind the prompts."""
    lines = block.text.replace("\\\n", " ").splitlines()
    session = any(line.startswith("$ ") for line in lines)
    for line in lines:
        if session and not line.startswith("$ "):
            continue
        command = re.sub(r"(^|\s)#\s.*$", "", line.removeprefix("$ ")).strip()
        if command:
            yield command


def is_shell(block: Block) -> bool:
    return block.language in SHELL or (block.language in ("text", "") and block.text.startswith("$ "))


def scripts() -> dict[str, list[Block]]:
    """The blocks of commands of each page."""
    found: dict[str, list[Block]] = {}
    for block in blocks(*pages(), *BESIDE):
        if is_shell(block):
            found.setdefault(block.page, []).append(block)
    return found


def test_no_other_page_holds_commands() -> None:
    folders = ("codemods", "corpus", "devfix", "docs", "editors", "tests")
    there = [*ROOT.glob("*.md"), *(page for folder in folders for page in (ROOT / folder).rglob("*.md"))]
    named = {
        path.relative_to(ROOT).as_posix()
        for path in there
        if not {"node_modules", "bundled"} & set(path.parts)
    }
    others = named - {*pages(), *BESIDE}
    assert not [block.place for block in blocks(*sorted(others)) if is_shell(block)]


def test_what_is_not_run_is_still_in_a_page() -> None:
    there = {command for found in scripts().values() for block in found for command in commands_of(block)}
    assert set(INSTEAD) <= there
    for page, test in SAMPLED.items():
        assert page.removeprefix("docs/") in text_of(f"tests/{test}")
    for (page, command), test in ELSEWHERE.items():
        assert command in {each for block in scripts()[page] for each in commands_of(block)}
        words = [word for word in command.split() if word.startswith("--simulated") or word == "pytest"]
        assert all(f'"{word}"' in text_of(f"tests/{test}") for word in words[-1:])


@pytest.mark.parametrize("page", sorted({*scripts()} - {"docs/tutorial.md"}))
@pytest.mark.usefixtures("preloaded")
def test_the_commands_of_a_page_run(page: str, tmp_path: Path) -> None:
    """In order, in a sample project; a command that cannot run here stands in ``INSTEAD``."""
    project = tmp_path / "project"
    documented_project.make(project)
    environment = documented_project.tools(tmp_path / "bin")
    folder, files = project, _files(page)
    for block in scripts()[page]:
        for path, text in files.items():
            if path[1] < block.line:
                (project / path[0]).parent.mkdir(parents=True, exist_ok=True)
                (project / path[0]).write_text(text, encoding="utf-8")
        folder = folder if page in STAYING else project
        for command in commands_of(block):
            if page in SAMPLED and block.language == "text":
                continue
            if (page, command) in ELSEWHERE and not sweeps.is_whole():
                continue
            words, _ = INSTEAD.get(command, (command, ""))
            if words.startswith("cd "):
                folder = folder / words[3:]
            elif words:
                _run(words, folder, environment, block)


def _files(page: str) -> dict[tuple[str, int], str]:
    """The files that a page shows, by path and line."""
    found = {}
    for block in blocks(page):
        if (file := block.file()) is not None and not is_shell(block):
            found[file[0], block.line] = file[1]
    return found


def _run(command: str, folder: Path, environment: dict[str, str], block: Block) -> None:
    done = _done(command, folder, environment)
    told = f"{block.place}: {command}\n{done.stdout}\n{done.stderr}"
    failing = "devfix new-rule" in block_before(block)
    fine = (1,) if failing and "pytest" in command else FINE.get(command.split(maxsplit=1)[0], (0,))
    assert done.returncode in fine, told
    assert "Traceback" not in done.stderr, told


def _done(command: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """What a command comes to, in this process where it can be."""
    if ALONE.fullmatch(command) is None:
        return subprocess.run(
            ["sh", "-c", command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in os.environ.keys() - environment.keys():
            patch.delenv(name)
        for name, value in environment.items():
            patch.setenv(name, value)
        result = CliRunner().invoke(app, shlex.split(command)[1:])
    error = result.exception
    if error is not None and not isinstance(error, SystemExit):
        raise error
    return subprocess.CompletedProcess(command, result.exit_code, result.stdout, result.stderr)


def block_before(block: Block) -> str:
    """On the page that adds a rule the tests fail between making it and writing it."""
    if block.page != "docs/adding-a-rule.md":
        return ""
    before = [each.text for each in scripts()[block.page] if each.line < block.line]
    return before[-1] if before else ""


@pytest.mark.usefixtures("preloaded")
def test_the_tutorial_is_what_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its program, its error and each command with what it writes, from the first to the last."""
    project = tmp_path / "project"
    project.mkdir()
    environment = documented_project.tools(tmp_path / "bin")
    for (name, _), text in _files("docs/tutorial.md").items():
        (project / name).write_text(text, encoding="utf-8")
    samples = scripts()["docs/tutorial.md"]
    assert len(samples) == 7
    for block in samples:
        (command,) = commands_of(block)
        expected = block.text.split("\n", 1)[1]
        done = _done(command, project, environment)
        assert in_order(done.stdout, expected), f"{block.place}\n{done.stdout}\n{done.stderr}"
    # Python and torch are those of this process, where torch need not be imported once more.
    monkeypatch.chdir(project)
    with contextlib.redirect_stdout(io.StringIO()) as printed, torch.random.fork_rng():
        runpy.run_path("train.py", run_name="__main__")
    assert printed.getvalue() in {
        block.text for block in blocks("docs/tutorial.md") if block.language == "text"
    }


#: Commands in a line of text, such as `devfix apply --diff [PATHS]`.
_INLINE = re.compile(r"`(devfix [a-z][^`]*)`")


@pytest.mark.parametrize("page", pages())
def test_commands_in_a_sentence_exist(page: str) -> None:
    known = _help_of()
    for found in _INLINE.finditer(text_of(page)):
        words = " ".join(re.sub(r"\\\|.*", "", found[1]).split("#")[0].split())
        command = next(
            (name for name in sorted(known, key=len, reverse=True) if f"{words} ".startswith(f"{name} ")),
            None,
        )
        assert command is not None, f"{page}: {words}"
        for option in _options(words.removeprefix(command), stops=command == "devfix run"):
            assert re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", known[command]), f"{page}: {words}"


@cache
def _help_of() -> dict[str, str]:
    """What each command says of itself, and the families of commands, which take no options."""
    found = {}
    group = typer.main.get_command(app)
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        found[f"devfix {name}"] = _help(name)
        for inner in getattr(command, "commands", {}):
            found[f"devfix {name} {inner}"] = _help(name, inner)
    return found


def _help(*words: str) -> str:
    return CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "200"}).stdout


def _options(words: str, *, stops: bool) -> Iterator[str]:
    """The options of a command; behind the program that it runs they are the program's own."""
    try:
        parts = shlex.split(words)
    except ValueError:
        parts = words.split()
    for part in parts:
        if part == "--" or (stops and re.search(r"\.(py|ipynb)$|^-m$|^SCRIPT$", part)):
            return
        if re.match(r"--?[a-z]", part):
            yield re.split(r"[\[=]", part)[0]
