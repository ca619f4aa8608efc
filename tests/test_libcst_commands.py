"""Every rule runs as a command of LibCST's own tool, in its own processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from libcst import parse_module
from libcst.codemod import CodemodContext

from devfix.libcst_commands import rules
from devfix.libcst_commands.command import RuleCommand
from devfix.registry import load_rules

FAULTY = """\
import torch

device = torch.device("cuda")
a = torch.zeros(3, device=device)
b = torch.ones(3)
print(a + b)
"""
FIXED = FAULTY.replace("ones(3)", "ones(3, device=device)")
DOUBLE = """\
import torch

layer = torch.nn.Linear(3, 2)
print(layer(torch.zeros(3).double()))
"""


def tool(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "libcst.tool", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    root = Path(__file__).parents[1]
    monkeypatch.setenv("PYTHONPATH", f"{root}:{root / 'codemods'}")


def test_the_tool_rewrites_files_that_hold_the_fault_of_the_rule_alone() -> None:
    texts = {"one.py": FAULTY, "two.py": FAULTY, "double.py": DOUBLE}
    for name, text in texts.items():
        Path(name).write_text(text)
    command = "devfix.libcst_commands.rules.OperandNotMoved"
    done = tool("codemod", "-x", command, "--no-format", "--jobs", "2", ".")
    assert done.returncode == 0, done.stderr
    assert "Transformed 3 files successfully" in done.stderr
    assert {name: Path(name).read_text() for name in texts} == {
        "one.py": FIXED,
        "two.py": FIXED,
        "double.py": DOUBLE,
    }


def test_the_tool_lists_the_commands_and_runs_them_by_their_short_names() -> None:
    Path(".libcst.codemod.yaml").write_text("modules: ['devfix.libcst_commands']\n")
    listed = tool("list").stdout.splitlines()
    assert [line.partition(" - ")[0] for line in listed] == sorted(f"rules.{name}" for name in rules.__all__)
    Path("double.py").write_text(DOUBLE)
    kept = tool("codemod", "rules.Float64MeetsFloat32", "--no-format", "double.py")
    assert Path("double.py").read_text() == DOUBLE
    assert "double.py:4: DF501 float64-meets-float32" in kept.stderr, "what is not fixed is a warning"
    tool("codemod", "rules.Float64MeetsFloat32", "--unsafe", "--no-format", "double.py")
    assert Path("double.py").read_text() == DOUBLE.replace("double", "float")


def test_there_is_a_command_for_every_rule() -> None:
    found = {getattr(rules, name)(CodemodContext()).rule.code for name in rules.__all__}
    assert found == {rule.code for rule in load_rules()}


def run(name: str, text: str, unsafe: bool = False) -> tuple[str, list[str]]:
    context = CodemodContext(filename="main.py")
    command: type[RuleCommand] = getattr(rules, name)
    return command(context, unsafe=unsafe).transform_module(parse_module(text)).code, context.warnings


def test_a_device_is_adopted_by_the_rule_that_does_so() -> None:
    text = 'import torch\n\nif __name__ == "__main__":\n    model = torch.nn.Linear(2, 2)\n    print(model(torch.ones(2)))\n'
    after, warnings = run("NoDeviceChosen", text, unsafe=True)
    assert "torch.cuda.is_available()" in after
    assert warnings == []


def test_newlines_and_what_else_the_file_holds_stay() -> None:
    text = "# -*- coding: latin-1 -*-\r\n" + FAULTY.replace("\n", "\r\n")
    assert run("OperandNotMoved", text)[0] == text.replace("ones(3)", "ones(3, device=device)")
