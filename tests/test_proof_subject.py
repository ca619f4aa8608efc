"""Which folder a program lives in, where it starts, and which files of a folder are programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from toy_proofs import write

from devfix.config import Settings
from devfix.proof.subject import SubjectError, files_of, folder_subjects, script_subject


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    texts = {
        "scripts/train.py": "import torch\nfrom library.net import Net\n",
        "library/__init__.py": "",
        "library/net.py": "from .layers import Layer\nclass Net: pass\n",
        "library/layers.py": "import torch\nclass Layer: pass\n",
    }
    write(folder, texts)
    monkeypatch.chdir(tmp_path)
    return folder


def test_a_project_is_known_by_its_marks(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "pyproject.toml").write_text("")
    script = project / "scripts" / "train.py"
    found = script_subject(script, ["--rate", "a b"], project.parent)
    assert (found.root, found.folder) == (project, project / "scripts")
    assert found.command(lambda path: path) == ["train.py", "--rate", "a b"]
    here = script_subject(script, [], project)
    assert (here.folder, here.command(lambda path: path)) == (project, ["scripts/train.py"])
    monkeypatch.chdir(project)
    assert script_subject(Path("scripts/train.py"), ["a b"], project).name == "scripts/train.py 'a b'"


def test_without_marks_it_is_the_folder_one_works_in(project: Path) -> None:
    found = script_subject(project / "scripts" / "train.py", [], project)
    assert (found.root, found.folder) == (project, project)


def test_a_folder_of_all_sorts_of_things_is_no_project(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: project)
    found = script_subject(project / "scripts" / "train.py", [], project)
    assert (found.root, found.folder) == (project / "scripts", project / "scripts")


def test_a_script_elsewhere_is_named_in_full(project: Path) -> None:
    (project / "pyproject.toml").write_text("")
    found = script_subject(project / "library" / "net.py", [], project / "scripts")
    assert found.folder == project / "scripts"
    assert found.command(lambda path: Path("/copy") / path.name) == ["/copy/net.py"]


def test_the_files_of_a_program_are_those_it_imports(project: Path) -> None:
    (project / "pyproject.toml").write_text("")
    files = files_of(script_subject(project / "scripts" / "train.py", [], project))
    assert {file.name for file in files} == {"train.py", "net.py", "layers.py"}


def test_a_script_that_cannot_be_parsed_is_still_a_program(project: Path) -> None:
    (project / "broken.py").write_text("def (:")
    assert [file.name for file in files_of(script_subject(project / "broken.py", [], project))] == [
        "broken.py"
    ]


@pytest.mark.parametrize(
    ("name", "text"), [("nowhere.py", "does not exist"), ("notes.txt", "not a Python file")]
)
def test_what_is_no_script(project: Path, name: str, text: str) -> None:
    (project / "notes.txt").write_text("")
    with pytest.raises(SubjectError, match=text):
        script_subject(project / name, [], project)


def test_the_programs_of_a_folder(project: Path) -> None:
    texts = {
        "main.py": "import library\nif __name__ == '__main__':\n    pass\n",
        "uses_main.py": "import main, torch\n",
        "conftest.py": "import torch\n",
        "test_net.py": "import torch\n",
        "plain.py": "print(1)\n",
        "library/cli.py": "from .net import Net\nif __name__ == '__main__':\n    Net()\n",
    }
    write(project, texts)
    (project / "torch.py").unlink()
    found = {
        each.script.relative_to(project).as_posix(): each for each in folder_subjects(project, [], Settings())
    }
    assert sorted(found) == ["library/cli.py", "scripts/train.py", "uses_main.py"]
    assert found["library/cli.py"].module == "library.cli"
    assert found["library/cli.py"].folder == project
    assert found["scripts/train.py"].module is None
    assert found["scripts/train.py"].folder == project / "scripts"
    assert found["library/cli.py"].command(lambda path: path) == ["-m", "library.cli"]


@pytest.mark.parametrize("marked", [True, False])
def test_a_script_that_imports_its_package_by_name_is_started_as_a_module(
    project: Path, marked: bool
) -> None:
    """``python tools/cli.py`` looks for ``tools`` in the folder ``tools``, ``python -m tools.cli`` beside it."""
    program = "from {} import net\nimport torch\n"
    write(project, {"tools/cli.py": program.format("tools.parts"), "tools/parts/net.py": ""})
    write(
        project, {"lab/lab/net.py": "", "lab/cli.py": program.format("lab"), "lab/other.py": "import torch\n"}
    )
    for folder in ("tools", "tools/parts") if marked else ():
        (project / folder / "__init__.py").touch()
    found = {
        each.script.relative_to(project).as_posix(): each for each in folder_subjects(project, [], Settings())
    }
    assert found["tools/cli.py"].module == "tools.cli"
    assert found["tools/cli.py"].folder == project
    assert found["lab/cli.py"].module is None
    assert found["lab/other.py"].module is None


def test_a_main_guard_makes_a_program_of_what_others_import(project: Path) -> None:
    write(
        project,
        {"main.py": "import torch\nif __name__ == '__main__':\n    pass\n", "other.py": "import main\n"},
    )
    names = [each.script.name for each in folder_subjects(project, [], Settings())]
    assert names == ["main.py", "other.py", "train.py"]
