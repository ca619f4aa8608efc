"""Imports between the files of a package mean the same however its files are named to devfix, and wherever that is."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path

import pytest

from devfix.cache.memory import Memory
from devfix.cache.store import Store
from devfix.config import Settings
from devfix.engine import Engine
from devfix.lsp.folder import Folder
from devfix.registry import Loaded, load_rules
from devfix.runner import Task, recall_paths, run_paths

ENGINE = Engine(load_rules(), Settings())
LAYER = "import torch\n\ndef make():\n    return torch.ones(3)\n"
USE = "x = torch.zeros(3, device='cuda')\ny = x + {call}()\n"

#: Ways to write that ``package/train.py`` takes ``make`` from ``package/nets/layer.py``, and what it is called.
IMPORTS = {
    "from package.nets.layer import make": "make",
    "from package.nets import layer": "layer.make",
    "import package.nets.layer": "package.nets.layer.make",
    "import package.nets.layer as nets": "nets.make",
    "from .nets.layer import make": "make",
    "from nets.layer import make": "make",
}
#: The folders that say that they are packages.
MARKED = [(), ("package",), ("package/nets",), ("package", "package/nets")]
#: Where devfix is started, below the folder that holds the package, and what it is told to look at.
CALLS = [
    (".", "package"),
    (".", "."),
    (".", "package/train.py"),
    ("package", "."),
    ("package", "train.py"),
    ("package/nets", ".."),
    ("package/nets", "../train.py"),
]


def write(folder: Path, statement: str, call: str, marked: Iterable[str]) -> None:
    (folder / "package/nets").mkdir(parents=True)
    (folder / "package/nets/layer.py").write_text(LAYER)
    (folder / "package/train.py").write_text(f"import torch\n{statement}\n{USE.format(call=call)}")
    for each in marked:
        (folder / each / "__init__.py").touch()


def found(path: str | Path, memory: Memory | None = None) -> list[tuple[str, str]]:
    """The files and rules of what is found."""
    paths = [Path(path)]
    known = None if memory is None else recall_paths(paths, ENGINE, Task(), memory)
    results = known or run_paths(paths, ENGINE, Task(), jobs=1, memory=memory)
    return [
        (os.path.basename(each.path), each.code) for report in results.reports for each in report.findings
    ]


#: One finding: where the tensor of the other file is added.
EXPECTED = [("train.py", "DF102")]


@pytest.mark.parametrize("marked", MARKED, ids="+".join)
@pytest.mark.parametrize("statement", IMPORTS)
def test_an_import_means_the_file_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statement: str, marked: tuple[str, ...]
) -> None:
    write(tmp_path, statement, IMPORTS[statement], marked)
    answers = {}
    for here, path in CALLS:
        monkeypatch.chdir(tmp_path / here)
        answers[here, path] = found(path)
        answers[here, f"/{path}"] = found(tmp_path / here / path)
    assert answers == dict.fromkeys(answers, EXPECTED)


@pytest.mark.parametrize("path", ["package", "package/train.py"])
def test_what_is_remembered_depends_on_the_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """Without its mark the inner folder is where a script's own imports are looked for, and its neighbour is meant."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "from package.nets.layer import make", "make", ["package"])
    (tmp_path / "package/package/nets").mkdir(parents=True)
    (tmp_path / "package/package/nets/layer.py").write_text(
        LAYER.replace("ones(3)", "ones(3, device='cuda')")
    )
    mark = Path("package/__init__.py")
    for _ in range(2):
        assert found(path, memory()) == EXPECTED
        assert found(path, memory()) == EXPECTED
        mark.unlink()
        assert found(path, memory()) == []
        assert found(path, memory()) == []
        mark.touch()


def memory() -> Memory:
    return Memory(Store(Path("cache"), b"k" * 32), "tool", ())


def test_the_folder_above_is_looked_at_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A script finds what lies beside it before it finds what it would as a part of its package."""
    write(tmp_path, "from package.nets.layer import make", "make", [])
    (tmp_path / "package/package/nets").mkdir(parents=True)
    (tmp_path / "package/package/nets/layer.py").write_text(
        LAYER.replace("ones(3)", "ones(3, device='cuda')")
    )
    monkeypatch.chdir(tmp_path / "package")
    assert found("train.py") == []


@pytest.mark.parametrize("name", ["timm", "torch"])
def test_a_folder_is_not_taken_for_an_installed_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Python prefers what says that it is a package to a folder of that name."""
    write(tmp_path, f"from {name}.nets.layer import make", "make", [])
    (tmp_path / "package").rename(tmp_path / name)
    for here, path in [(".", name), (name, "."), (name, "train.py")]:
        monkeypatch.chdir(tmp_path / here)
        assert found(path) == []


def test_folders_beside_the_one_that_is_named_are_packages_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``python -m package.train`` looks in the folder that it is started in."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "from nets.layer import make", "make", [])
    (tmp_path / "package/nets").rename(tmp_path / "nets")
    assert found("package") == EXPECTED
    assert found("package/train.py") == EXPECTED
    monkeypatch.chdir("package")
    assert found("train.py") == []


@pytest.mark.parametrize("marked", MARKED, ids="+".join)
def test_an_editor_finds_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, marked: tuple[str, ...]
) -> None:
    write(tmp_path, "from package.nets.layer import make", "make", marked)
    for root in (tmp_path, tmp_path / "package"):
        monkeypatch.chdir(root)
        folder = Folder(str(root), Loaded(tuple(load_rules())), {}, nullcontext, loose=False)
        programs = folder.programs()
        judged = [finding.code for program in programs for finding in folder.judgement(program).findings]
        assert judged == ["DF102"]
