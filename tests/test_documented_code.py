"""Programs, settings and messages in the documentation: what they say is so."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from documentation import Block, blocks, pages, text_of
from text_program import rules

import devfix.pytest_plugin
import devfix.rules
import devfix.simulator
import devfix.testing
from devfix.api import check_paths
from devfix.migration.campaign_file import parse_campaign
from devfix.notebooks import Notebook
from devfix.simulator import simulated_accelerator
from devfix.tracebacks.account import account
from devfix.tracebacks.choice import bare, choose
from devfix.tracebacks.paste import read_lines
from devfix.tracebacks.reader import read
from devfix.tracebacks.scene import Files
from devfix.tracebacks.texts import FAMILIES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

EVERY = list(blocks(*pages()))
PYTHON = [block for block in EVERY if block.language == "python"]
TOML = [block for block in EVERY if block.language == "toml"]
#: Blocks that hold no settings of devfix, by a word in them.
FOREIGN = {
    "language-server.devfix": "of Helix",
    "entry-points": "of a pack's own pyproject.toml",
    "title = ": "a case of the corpus",
}

NOTEBOOK = """{"cells": [{"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": "x = 1"},
{"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": "y = 2"},
{"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": "z = 3"},
{"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": "for a in b:\\n    pass"}],
"metadata": {}, "nbformat": 4, "nbformat_minor": 4}"""


def _of(block: Block) -> str:
    return block.place


@pytest.mark.parametrize("block", PYTHON, ids=_of)
def test_programs_are_python(block: Block) -> None:
    ast.parse(block.text)


#: How each program is run that is no file of a sample project; the others are files that commands of their page read.
RUN: dict[str, Callable[[str], Any]] = {}


def runs(beginning: str) -> Callable[[Callable[[str], None]], Callable[[str], None]]:
    """Say how the program is run that begins like this."""

    def add(function: Callable[[str], None]) -> Callable[[str], None]:
        RUN[beginning] = function
        return function

    return add


@runs("def test_a_step_copies_nothing_back(simulated_accelerator):")
def _a_test_of_transfers(text: str) -> None:
    def step(model: torch.nn.Module) -> None:
        model(torch.ones(2, 4, device="cuda")).sum().backward()

    names: dict[str, Any] = {"Net": lambda: torch.nn.Linear(4, 2), "step": step}
    exec(compile(text, "simulator.md", "exec"), names)
    with simulated_accelerator() as machine:
        names["test_a_step_copies_nothing_back"](machine)
        names["step"] = lambda model: model.weight.cpu()
        with pytest.raises(AssertionError):
            names["test_a_step_copies_nothing_back"](machine)


@runs("from devfix.simulator import simulated_accelerator")
def _raises_what_a_gpu_raises(text: str) -> None:
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        exec(compile(text, "simulator.md", "exec"), {"nn": torch.nn, "torch": torch})


@runs("from devfix.notebooks import CellPlace, Notebook")
def _places_of_cells(text: str) -> None:
    program = Notebook.parse(NOTEBOOK).program
    lines = program.splitlines(keepends=True)
    padded = text.replace("place(12, 4)", f"place({len(lines)}, 4)")
    names: dict[str, Any] = {"text": NOTEBOOK, "edited_program": program.replace("x = 1", "x = 5")}
    exec(compile(padded, "notebooks.md", "exec"), names)
    assert "x = 5" in names["new"]
    assert names["place"].column == 4


#: Tested by others, or a shape to be filled in.
ELSEWHERE = {
    "from devfix.testing import assert_example": "test_ecosystem_docs.py",
    '"""rule-name: what is wrong, in a line."""': "a shape to be filled in",
    "loss = criterion(model(x), y)  # devfix: ignore[DF102]": "a line with a comment",
}


def test_every_program_is_run() -> None:
    for block in PYTHON:
        known = [beginning for beginning in (*RUN, *ELSEWHERE) if block.text.startswith(beginning)]
        assert block.file() is not None or known, f"{block.place}: say in RUN how it is run"


@pytest.mark.parametrize("beginning", sorted(RUN))
def test_the_examples_run(beginning: str) -> None:
    (found,) = [block for block in PYTHON if block.text.startswith(beginning)]
    RUN[beginning](found.text)


@pytest.mark.parametrize("block", TOML, ids=_of)
def test_settings_are_settings(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = tomllib.loads(block.text)
    if "campaign" in table:
        Path("more.txt").write_text("", encoding="utf-8")
        assert parse_campaign(block.text, Path("gpu.toml")).name
        return
    if any(word in block.text for word in FOREIGN):
        return
    name = "pyproject.toml" if "tool" in table else "devfix.toml"
    text = block.text.replace('extend = "../devfix.toml"', 'extend = "other.toml"')
    Path("other.toml").write_text("", encoding="utf-8")
    Path(name).write_text(text, encoding="utf-8")
    Path("a.py").write_text("import torch\n", encoding="utf-8")
    assert check_paths(["a.py"]).exit_code == 0


#: Messages of ``questions.md`` are pieces, to be found by a search; a traceback has the whole line.
_WHOLE = {
    "Input and hidden tensors are not at the same device": ", found input tensor at cuda:0 and hidden tensor at cpu",
    "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int": (
        "; but got torch.cuda.FloatTensor instead (while checking arguments for embedding)"
    ),
}
_ROWS = re.findall(r"^\| (`.*?) \| .*? \| (.*?) \|$", text_of("docs/questions.md"), re.MULTILINE)


@pytest.mark.parametrize(("message", "named"), _ROWS, ids=[row[0][:60] for row in _ROWS])
def test_a_message_leads_to_the_rule(message: str, named: str) -> None:
    """The reader of tracebacks knows each message, and names a rule of the row."""
    codes = {rule.name: rule.code for rule in rules()}
    listed = re.findall(r"\[(DF\d+)\]\(rules/([\w-]+)\.md\)", named)
    assert listed
    assert all(codes[name] == code for code, name in listed)
    for text in re.findall(r"`([^`]{20,})`", message):
        line = f"RuntimeError: {text}{_WHOLE.get(text, '')}"
        choice = choose(read(read_lines(line)), FAMILIES) or bare(read_lines(line), FAMILIES)
        assert choice is not None, line
        told = account(choice, Files(None), rules())
        assert {name for _, name in listed} & set(told.rules), (line, told.rules)


API = [
    *((devfix, name) for name in devfix.__all__ if not name.startswith("__")),
    *((devfix.testing, name) for name in devfix.testing.__all__),
    *((devfix.rules, name) for name in devfix.rules.__all__ if name not in ("ast", "legacy")),
    (devfix.simulator, "simulated_accelerator"),
    (devfix.pytest_plugin, "simulated_accelerator"),
]


@pytest.mark.parametrize(("module", "name"), API, ids=[f"{module.__name__}.{name}" for module, name in API])
def test_what_others_may_rely_on_is_explained(module: Any, name: str) -> None:
    """Functions, classes and their public methods; those of results and settings are data."""
    found = getattr(module, name)
    documented = inspect.unwrap(found) if callable(found) else found
    assert (inspect.getdoc(documented) or "").strip(), name
    if inspect.isclass(documented):
        for attribute, value in vars(documented).items():
            if not attribute.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                assert inspect.getdoc(value), f"{name}.{attribute}"


@pytest.mark.parametrize("name", ["check_source", "apply_source", "check_paths", "apply_paths"])
def test_functions_that_take_paths_or_texts_say_what_they_raise_and_take(name: str) -> None:
    text = inspect.getdoc(getattr(devfix, name)) or ""
    assert "Raises" in text or "errors" in text
    others = re.findall(r"those of\s+``(\w+)``", text)
    said = text + "".join(inspect.getdoc(getattr(devfix, other)) or "" for other in others)
    for parameter in inspect.signature(getattr(devfix, name)).parameters:
        if parameter not in ("text", "paths"):
            assert parameter in said, parameter


def test_the_simulated_machine_says_what_it_takes_and_raises() -> None:
    text = inspect.getdoc(simulated_accelerator) or ""
    for parameter in inspect.signature(simulated_accelerator).parameters:
        assert f"``{parameter}``" in text, parameter
    assert "Raises" in text
    assert "device" in text
