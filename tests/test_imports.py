"""Dotted names become files the way scripts run."""

from __future__ import annotations

import ast
import os

import pytest

from devfix.imports import Import, Layout, find_imports


def layout(*paths: str, roots: tuple[str, ...] = ("",)) -> Layout:
    return Layout(roots, frozenset(paths).__contains__)


def test_imports_are_found_at_any_depth() -> None:
    text = """
import a, b.c as d
from . import e
def f():
    from ..g import h, i
    try:
        import j
    except ImportError:
        import k
    match x:
        case 1:
            import m
"""
    assert set(find_imports(ast.parse(text))) == {
        Import("a"),
        Import("b.c"),
        Import("", 1, ("e",)),
        Import("g", 2, ("h", "i")),
        Import("j"),
        Import("k"),
        Import("m"),
    }


@pytest.mark.parametrize(
    ("files", "importer", "module", "level", "expected"),
    [
        (["train.py", "models.py"], "train.py", "models", 0, "models.py"),
        (["train.py"], "train.py", "models", 0, None),
        (
            ["tools/train.py", "tools/models.py", "models.py"],
            "tools/train.py",
            "models",
            0,
            "tools/models.py",
        ),
        (["tools/train.py", "models.py"], "tools/train.py", "models", 0, "models.py"),
        (["train.py", "nets/unet.py"], "train.py", "nets.unet", 0, "nets/unet.py"),
        (["train.py", "nets/__init__.py", "nets.py"], "train.py", "nets", 0, "nets/__init__.py"),
        (["train.py", "src/pkg/__init__.py"], "train.py", "pkg", 0, "src/pkg/__init__.py"),
        (["p/__init__.py", "p/a.py", "p/b.py"], "p/a.py", "b", 1, "p/b.py"),
        (["p/__init__.py", "p/a.py"], "p/a.py", "", 1, "p/__init__.py"),
        (["p/__init__.py", "p/q/__init__.py", "p/q/a.py", "p/b.py"], "p/q/a.py", "b", 2, "p/b.py"),
        (["p/__init__.py", "p/a.py", "p/b.py"], "p/a.py", "p.b", 0, "p/b.py"),
        (["p/__init__.py", "p/a.py", "p/b.py"], "p/a.py", "b", 0, "p/b.py"),
        (["p/__init__.py", "p/a.py", "p/types.py"], "p/a.py", "types", 0, None),
        (["train.py", "torch/__init__.py"], "train.py", "torch", 0, None),
        (["q.py", "p/__init__.py", "p/a.py", "p/q.py"], "p/a.py", "q", 0, "q.py"),
        (["q.py", "torch/__init__.py", "torch/a.py", "torch/q.py"], "torch/a.py", "q", 0, "torch/q.py"),
        (
            ["q/b.py", "jax/__init__.py", "jax/r/__init__.py", "jax/r/a.py", "jax/q/b.py"],
            "jax/r/a.py",
            "q.b",
            0,
            "jax/q/b.py",
        ),
        (
            ["q.py", "p/__init__.py", "p/jax/__init__.py", "p/jax/a.py", "p/jax/q.py"],
            "p/jax/a.py",
            "q",
            0,
            "q.py",
        ),
        (["x/p/__init__.py", "x/p/a.py", "x/c.py"], "x/p/a.py", "c", 0, "x/c.py"),
        (["x/p/a.py", "x/q/b.py"], "x/p/a.py", "q.b", 0, "x/q/b.py"),
        (["x/__init__.py", "x/p/a.py", "x/q/b.py"], "x/p/a.py", "q.b", 0, "x/q/b.py"),
        (["x/__init__.py", "x/p/__init__.py", "x/p/a.py", "x/q.py"], "x/p/a.py", "q", 0, "x/q.py"),
        (["x/p/a.py", "x/q.py", "x/p/q.py"], "x/p/a.py", "q", 0, "x/p/q.py"),
        (["x/p/a.py", "x/q.py", "q.py"], "x/p/a.py", "q", 0, "q.py"),
        (["x/p/a.py", "x/types.py"], "x/p/a.py", "types", 0, None),
        (["x/p/a.py", "x/transformers/b.py"], "x/p/a.py", "transformers.b", 0, None),
        (["/far/p/a.py", "/far/q.py"], "/far/p/a.py", "q", 0, None),
        (["site-packages/p/q/a.py", "site-packages/c.py"], "site-packages/p/q/a.py", "c", 0, None),
        (
            ["site-packages/p/__init__.py", "site-packages/p/a.py", "site-packages/c.py"],
            "site-packages/p/a.py",
            "c",
            0,
            None,
        ),
        (
            ["site-packages/p/__init__.py", "site-packages/p/a.py"],
            "site-packages/p/__init__.py",
            "p.a",
            0,
            "site-packages/p/a.py",
        ),
        (
            ["x/dist-packages/p/a.py", "x/dist-packages/p/b.py"],
            "x/dist-packages/p/a.py",
            "p.b",
            0,
            "x/dist-packages/p/b.py",
        ),
    ],
)
def test_resolve(files: list[str], importer: str, module: str, level: int, expected: str | None) -> None:
    assert layout(*files).resolve(importer, module, level) == expected


def test_a_root_above_the_current_folder_names_the_same_files() -> None:
    parent, here = os.path.split(os.getcwd())
    files = layout("__init__.py", "a.py", "b.py", roots=("", parent))
    assert files.resolve("a.py", f"{here}.b") == "b.py"
    assert files.module_name("a.py") == f"{here}.a"


@pytest.mark.parametrize(
    ("files", "path", "name"),
    [
        (["train.py"], "train.py", "train"),
        (["nets/unet.py"], "nets/unet.py", "nets.unet"),
        (["src/pkg/__init__.py", "src/pkg/a.py"], "src/pkg/a.py", "pkg.a"),
        (["src/pkg/__init__.py"], "src/pkg/__init__.py", "pkg"),
        (["src/tool.py"], "src/tool.py", "tool"),
        (["/far/away.py"], "/far/away.py", "away"),
    ],
)
def test_module_name(files: list[str], path: str, name: str) -> None:
    assert layout(*files).module_name(path) == name


def test_dependencies_include_what_an_import_binds() -> None:
    files = layout("main.py", "p/__init__.py", "p/q.py", "p/r.py")
    assert files.dependencies("main.py", (Import("p.q"),)) == ["p/q.py", "p/__init__.py"]
    assert files.dependencies("main.py", (Import("p", 0, ("r", "CONSTANT")),)) == ["p/__init__.py", "p/r.py"]
    assert files.dependencies("p/q.py", (Import("", 1, ("r",)),)) == ["p/__init__.py", "p/r.py"]
