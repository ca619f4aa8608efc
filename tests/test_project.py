"""Sources form programs along their imports."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from edited_packages import Packages

from devfix.imports import Import, Layout
from devfix.project import Project, connected, find_roots, load_project
from devfix.source import Source


def project(texts: dict[str, str], targets: list[str] | None = None) -> Project:
    return Project([Source(path, text) for path, text in texts.items()], targets=targets)


def write(folder: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_files_that_import_each_other_are_one_program() -> None:
    texts = {"train.py": "import nets", "eval.py": "import nets", "nets.py": "", "alone.py": "import os"}
    assert [sorted(program.sources) for program in project(texts).programs()] == [
        ["alone.py"],
        ["eval.py", "nets.py", "train.py"],
    ]


def test_a_program_without_a_target_is_not_looked_at() -> None:
    texts = {"train.py": "import nets", "nets.py": "", "alone.py": ""}
    (program,) = project(texts, targets=["nets.py"]).programs()
    assert sorted(program.sources) == ["nets.py", "train.py"]
    assert program.targets == {"nets.py"}


def test_a_program_resolves_only_its_own_files() -> None:
    (program, _) = project({"a.py": "import b", "b.py": "", "c.py": ""}).programs()
    assert program.resolve("a.py", "b") == "b.py"
    assert program.resolve("a.py", "c") is None
    assert program.module_name("b.py") == "b"


def test_libraries_are_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    usual = Layout.dependencies

    def listening(layout: Layout, importer: str, imports: tuple[Import, ...]) -> list[str]:
        asked.extend(item.module for item in imports)
        return usual(layout, importer, imports)

    monkeypatch.setattr(Layout, "dependencies", listening)
    texts = {
        "tool/train.py": "import torch.nn, numpy\nfrom transformers import Trainer\nimport tool.nets, layers.conv",
        "tool/nets.py": "from . import heads\nfrom .. import torch",
        "tool/heads.py": "",
        "tool/layers/conv.py": "import tool",
    }
    assert project(texts).imports() == {
        "tool/train.py": ["tool/nets.py", "tool/layers/conv.py"],
        "tool/nets.py": ["tool/heads.py"],
        "tool/heads.py": [],
        "tool/layers/conv.py": [],
    }
    assert asked == ["tool.nets", "layers.conv", "", "", "tool"]


def test_new_text_keeps_what_did_not_change() -> None:
    (program,) = project({"a.py": "import b", "b.py": ""}).programs()
    changed = program.with_texts({"a.py": "import b\nx = 1", "b.py": ""})
    assert changed.sources["a.py"].text == "import b\nx = 1"
    assert changed.sources["b.py"] is program.sources["b.py"]
    assert program.sources["a.py"].text == "import b"


def test_a_program_crosses_a_process_border() -> None:
    (program,) = project({"a.py": "import b", "b.py": ""}, targets=["a.py"]).programs()
    copy = pickle.loads(pickle.dumps(program))
    assert copy.resolve("a.py", "b") == "b.py"
    assert copy.targets == {"a.py"}
    assert {path: source.text for path, source in copy.sources.items()} == {"a.py": "import b", "b.py": ""}


def test_imported_files_are_loaded_as_context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(
        tmp_path, {"train.py": "from pkg import net", "pkg/__init__.py": "", "pkg/net.py": "", "other.py": ""}
    )
    loaded, skipped = load_project(["train.py"], find_roots(["train.py"]))
    assert sorted(loaded.sources) == ["pkg/__init__.py", "pkg/net.py", "train.py"]
    assert loaded.targets == {"train.py"}
    assert skipped == []


def test_a_broken_target_is_a_fault_and_broken_context_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"train.py": "import net", "net.py": "def f(:", "bad.py": "1 +"})
    loaded, skipped = load_project(["train.py", "bad.py"], [""])
    assert sorted(loaded.sources) == ["train.py"]
    assert [(each.path, each.fault) for each in skipped] == [("bad.py", True)]


def test_roots_include_the_marked_folder_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"pyproject.toml": "", "pkg/tools/train.py": ""})
    monkeypatch.chdir(tmp_path / "pkg")
    assert find_roots(["."]) == ("", str(tmp_path))


def test_roots_end_with_the_current_folder_where_that_is_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"pyproject.toml": "", "pkg/tools/train.py": "", "other/train.py": ""})
    monkeypatch.chdir(tmp_path / "pkg")
    assert find_roots(["tools/train.py"], ["lib"]) == ("tools", str(tmp_path), "lib", "")
    assert find_roots(["../other/train.py"]) == (str(tmp_path / "other"), str(tmp_path))


def test_connected_is_deterministic() -> None:
    assert connected({"c": ["a"], "b": [], "a": [], "d": ["b"]}) == [["a", "c"], ["b", "d"]]


@pytest.mark.parametrize("seed", range(8))
def test_what_is_imported_is_known_without_a_look_at_the_trees(seed: int) -> None:
    texts = Packages(seed).package() | {
        "pkg/low/one.py": "from .two import a\n",
        "pkg/low/two.py": "import pkg.m1\n",
    }
    for program in Project([Source(path, text) for path, text in texts.items()]).programs():
        assert program.imported == program.with_sources(program.sources).imported


def test_what_is_imported_follows_the_texts() -> None:
    texts = {"a.py": "import b\n", "b.py": "", "c.py": "import b\n"}
    program = Project([Source(path, text) for path, text in texts.items()]).whole()
    assert program.imported == {"b.py"}
    assert program.with_texts({"b.py": "import c\n"}).imported == {"b.py", "c.py"}
    assert program.with_texts({"a.py": "", "c.py": ""}).imported == frozenset()
    assert program.without("b.py").imported == frozenset()
    assert pickle.loads(pickle.dumps(program)).imported == {"b.py"}
