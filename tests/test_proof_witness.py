"""Which interpreter programs run in, and whether on a GPU: asked of interpreters that only answer."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from devfix.interpreters import interpreters
from devfix.proof.witness import WitnessError, find_witness

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the interpreters here are shell scripts")

PYTHON = sys.executable
FOUND = {"python": "3.12.1", "paths": ["", "/site"], "torch": "2.11.0+cu130", "kind": None, "gpu": None}


@pytest.fixture(autouse=True)
def _no_other_interpreters(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("shutil.which", lambda _name: None)
    monkeypatch.setattr(sys, "executable", None)


def interpreter(path: Path, **answer: object) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**FOUND, "executable": str(path), **answer})
    path.write_text(f"#!/bin/sh\necho noise\necho {shlex.quote(text)}\n")
    path.chmod(0o755)
    return str(path)


def test_a_gpu_where_there_is_one(tmp_path: Path) -> None:
    python = interpreter(tmp_path / "python", kind="cuda", gpu="NVIDIA H200")
    for on in ("auto", "gpu"):
        witness = find_witness(on, python, tmp_path)
        assert (witness.name, witness.gpu, witness.mode) == (
            "gpu",
            "NVIDIA H200",
            ("--mode", "plain", "--kind", "cuda"),
        )
    chosen = find_witness("simulator", python, tmp_path)
    assert (chosen.name, chosen.mode) == ("simulator", ("--mode", "strict", "--kind", "cuda"))


def test_a_simulator_where_there_is_none(tmp_path: Path) -> None:
    python = interpreter(tmp_path / "python")
    witness = find_witness("auto", python, tmp_path)
    assert (witness.name, witness.note, witness.paths) == ("simulator", "there is no GPU here", ("/site",))
    with pytest.raises(WitnessError, match="sees no GPU"):
        find_witness("gpu", python, tmp_path)


def test_a_gpu_that_does_not_work_is_none(tmp_path: Path) -> None:
    python = interpreter(tmp_path / "python", trouble="cuda: out of memory")
    assert find_witness("auto", python, tmp_path).note == "cuda: out of memory"
    with pytest.raises(WitnessError, match="out of memory"):
        find_witness("gpu", python, tmp_path)


@pytest.mark.parametrize("answer", [{"torch": "2.3.1"}, {"python": "3.8.18"}, {"torch": "1.13.0+cpu"}])
def test_the_simulator_needs_a_torch_of_its_time(tmp_path: Path, answer: dict[str, str]) -> None:
    with pytest.raises(WitnessError, match=r"needs torch 2.4 and Python 3.9"):
        find_witness("auto", interpreter(tmp_path / "python", **answer), tmp_path)


def test_an_old_torch_will_do_on_a_gpu(tmp_path: Path) -> None:
    python = interpreter(tmp_path / "python", torch="1.13.0", kind="cuda", gpu="old")
    assert find_witness("auto", python, tmp_path).is_real


def test_the_first_interpreter_with_torch_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interpreter(tmp_path / "active" / "bin" / "python", torch=None)
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "active"))
    python = interpreter(tmp_path / "project" / ".venv" / "bin" / "python")
    assert find_witness("auto", None, tmp_path / "project").python == python


def test_what_was_tried_is_told(tmp_path: Path) -> None:
    interpreter(tmp_path / ".venv" / "bin" / "python", torch=None)
    broken = tmp_path / "venv" / "bin" / "python"
    interpreter(broken)
    broken.write_text("#!/bin/sh\necho trouble >&2\nexit 3\n")
    with pytest.raises(
        WitnessError,
        match=r"python: torch is not installed; .*python: trouble\); install torch .*, or name one with --python",
    ):
        find_witness("auto", None, tmp_path)
    with pytest.raises(WitnessError, match="No such file"):
        find_witness("auto", "/no/such/python", tmp_path)
    with pytest.raises(WitnessError, match="no Python interpreter was found"):
        find_witness("auto", None, tmp_path / "elsewhere")


def test_two_names_of_one_interpreter_are_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for environment in ("venv", "other"):
        python = tmp_path / environment / "bin" / "python"
        interpreter(python)
        python.with_name("python3").symlink_to("python")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "venv"))
    monkeypatch.setenv("PATH", str(tmp_path / "venv" / "bin"))
    monkeypatch.setattr("sys.executable", str(tmp_path / "other" / "bin" / "python3"))
    found = list(interpreters(tmp_path / "elsewhere"))
    assert found == [str(tmp_path / "venv" / "bin" / "python"), str(tmp_path / "other" / "bin" / "python3")]


@pytest.mark.parametrize(
    ("on", "build", "found"),
    [
        ("auto", "cuda = hip = xpu = None", "2.11.0+x"),
        ("simulator", "cuda = '13.0'; hip = xpu = None", "2.11.0+x"),
        ("auto", "cuda = '13.0'; hip = xpu = None", "imported"),
        ("auto", "cuda = hip = None", "imported"),
        ("simulator", "raise SystemExit('no version')", "no version"),
    ],
)
def test_a_torch_that_is_built_for_no_gpu_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on: str, build: str, found: str
) -> None:
    if sys.platform == "darwin" and on == "auto":
        pytest.skip("Metal is in every build")
    package = tmp_path / "torch"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('imported')\n")
    (package / "version.py").write_text(f"__version__ = '2.11.0+x'\n{build}\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    if found.startswith("2"):
        assert find_witness(on, PYTHON, tmp_path).torch == found
    else:
        with pytest.raises(WitnessError, match=found):
            find_witness(on, PYTHON, tmp_path)


def test_a_version_that_is_no_part_of_torch_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torch.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "version.py").write_text("__version__ = '1'; cuda = hip = xpu = None\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(WitnessError, match="imported"):
        find_witness("auto", PYTHON, tmp_path)
