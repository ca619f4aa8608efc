"""Processes that a simulated program starts: forked, spawned, and Python started by name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from recorded.process_programs import RECORDED, source

from devfix.simulator import simulated_accelerator, startup


def _run(folder: Path, text: str, *, path: str | None = None) -> subprocess.CompletedProcess[str]:
    script = folder / "script.py"
    script.write_text(text)
    environment = dict(os.environ)
    if path is not None:
        environment["PYTHONPATH"] = os.pathsep.join([startup.FOLDER, path])
    return subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        timeout=600,
        env=environment,
        check=False,
    )


@pytest.mark.parametrize("name", list(RECORDED))
def test_processes_answer_as_on_the_h200(name: str, tmp_path: Path) -> None:
    with simulated_accelerator():
        done = _run(tmp_path, source(name))
    assert done.stdout.splitlines() == RECORDED[name], done.stderr


def test_what_children_see_is_in_the_log(tmp_path: Path) -> None:
    text = """
import torch
for _ in range(3):
    torch.ones(2).cuda() + torch.ones(2)
torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1).zero_grad()
import gc, sys
print("torch._dynamo" in sys.modules, gc.isenabled(), gc.get_freeze_count() > 100_000)
"""
    with simulated_accelerator(heal=True) as machine:
        done = _run(tmp_path, text)
        [mismatch] = machine.log.mismatches
        folder = machine.children.folder
    assert (done.returncode, done.stderr) == (0, "")
    # What takes seconds and is of no use to the child is neither imported nor looked through for garbage.
    assert done.stdout == "False True True\n"
    assert (mismatch["kind"], mismatch["count"], mismatch["sink"]["line"]) == ("device", 3, 4)
    assert mismatch["sink"]["file"] == str(tmp_path / "script.py")
    assert [t["what"] for t in machine.log.transfers] == ["host-to-device"]
    assert not os.path.exists(folder)


def test_a_child_without_torch_imports_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import builtins\nbuiltins.seen = 'its own'\n")
    text = "import sys, sitecustomize\nprint(seen, sitecustomize.__file__, [m for m in sys.modules if 'torch' in m or 'devfix' in m])\n"
    with simulated_accelerator():
        done = _run(tmp_path, text, path=str(tmp_path))
    assert done.stdout.strip() == f"its own {tmp_path / 'sitecustomize.py'} []", done.stderr


def test_the_environment_names_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", f"/one{os.pathsep}/two")
    with simulated_accelerator(count=2) as machine:
        told = startup.environment(machine)
        assert told == {name: os.environ[name] for name in told}
        assert startup.without(told["PYTHONPATH"]) == f"/one{os.pathsep}/two"
    named = json.loads(told[startup.MACHINE])
    assert (named["kind"], named["count"], named["heal"]) == ("cuda", 2, False)
    assert startup.MACHINE not in os.environ
