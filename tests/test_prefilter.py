"""What is not parsed is told by its bytes, and no import of it is overlooked."""

from __future__ import annotations

import ast
import os
import sysconfig
import warnings
from pathlib import Path

import pytest

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
