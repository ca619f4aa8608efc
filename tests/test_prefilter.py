"""What is not parsed is told by its bytes, and no import of it is overlooked."""

from __future__ import annotations

import ast
import os
import sysconfig
import warnings
from pathlib import Path

import pytest
from typer.testing import CliRunner

from devfix.cli import app
from devfix.imports import Import, find_imports
from devfix.prefilter import concerned, guessed_imports, imports_tensors, needs_parsing


@pytest.mark.parametrize(
    "text",
    [
        "import torch",
        "import numpy, torch.nn as nn",
        "if x: from torch import nn",
        "from transformers import (  # models\n    AutoModel,\n)",
        "from \\\n  pytorch_lightning import Trainer",
        "from backends import torch",
        "torch = importlib.import_module('torch')",
        '__import__("torch")',
    ],
)
def test_what_brings_tensors_is_seen(text: str) -> None:
    assert imports_tensors(text.encode())


@pytest.mark.parametrize("text", ["# torch", "device = 'cpu'", "to accelerate the turtle", "x = 'torch'"])
def test_words_alone_bring_none(text: str) -> None:
    assert not imports_tensors(text.encode())


@pytest.mark.parametrize(
    "data",
    [b"# devfix: ignore", b"# coding: utf-7\n", b"#!/bin/x\n# -*- coding: cp037 -*-", b"import_module(x)"],
)
def test_what_the_bytes_do_not_tell_is_parsed(data: bytes) -> None:
    assert needs_parsing(data)


def test_usual_encodings_are_read_at_a_glance() -> None:
    assert not needs_parsing(b"# -*- coding: utf-8 -*-\nx = 1\n")


@pytest.mark.parametrize(
    ("text", "imports"),
    [
        ("import a.b as c, d", {Import("a.b"), Import("d")}),
        ("from . import a", {Import("", 1, ("a",))}),
        ("from .. a import (b, # c)\n d)", {Import("a", 2, ("b", "d"))}),
        ("from...a.b import*", {Import("a.b", 3, ("*",))}),
        ("# the import from\nimport a", {Import("a")}),
        ("x = 1; import a", {Import("a")}),
    ],
)
def test_imports_are_guessed(text: str, imports: set[Import]) -> None:
    found = {
        (each.module, each.level, name)
        for each in guessed_imports(text.encode())
        for name in each.names or ("",)
    }
    assert found >= {(each.module, each.level, name) for each in imports for name in each.names or ("",)}


def test_no_import_of_the_standard_library_is_overlooked() -> None:
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*/*.py"))[::3]:
        data = path.read_bytes()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                real = find_imports(ast.parse(data))
        except (SyntaxError, ValueError, RecursionError):
            continue
        guessed = _modules(guessed_imports(data))
        assert _modules(real) <= guessed, os.fspath(path)


def _modules(imports: tuple[Import, ...]) -> set[tuple[str, int, str]]:
    return {(each.module, each.level, name) for each in imports for name in each.names or ("",)}


def test_importers_and_what_they_import_are_concerned() -> None:
    graph = {
        "app": ["model", "tools"],
        "model": ["torchy"],
        "torchy": [],
        "tools": ["text"],
        "text": [],
        "other": ["text"],
    }
    assert concerned(graph, ["torchy"]) == {"torchy", "model", "app", "tools", "text"}


BROKEN = "def broken(:\n"


@pytest.mark.parametrize("cached", [False, True])
def test_a_file_that_is_named_is_parsed_whatever_is_in_it(
    cached: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("named.py", "folder/other.py", "folder/aliased.py"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(BROKEN, encoding="utf-8")
    Path("folder/alias.py").symlink_to("aliased.py")
    Path("pyproject.toml").touch()
    options = [] if cached else ["--no-cache"]

    def check(*paths: str, text: str | None = None) -> tuple[int, str]:
        done = CliRunner().invoke(app, ["check", *options, *paths], input=text, catch_exceptions=False)
        return done.exit_code, done.stderr

    def complaint(name: str) -> tuple[int, str]:
        sentence = f"{name}:1:12: error: has a syntax error: invalid syntax"
        return 2, f"{sentence}\n  |\n1 | {BROKEN}  |            ^\n  |\n"

    for _ in range(2):  # the second time some of it is remembered
        assert check("folder") == check(".") == (0, "")
        assert check("named.py") == check("folder", "./named.py") == complaint("named.py")
        assert check("folder", str(tmp_path / "folder/other.py")) == complaint("folder/other.py")
        assert check("folder", "folder/aliased.py") == complaint("folder/aliased.py")
        assert check("-", text=BROKEN) == complaint("stdin.py")
    Path("named.py").write_text("whole = 1\n", encoding="utf-8")
    assert check("named.py") == (0, "")
    Path("named.py").write_text(BROKEN, encoding="utf-8")
    assert check("named.py") == complaint("named.py")
