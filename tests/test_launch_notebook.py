"""Cells as pieces of a program, and the command line of the launcher: what needs no torch."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from devfix.simulator import launch_options, notebook


@pytest.mark.parametrize(
    ("cell", "python", "left_out"),
    [
        ("x = 1\n%time y = 2\nz = 3", "x = 1\npass; y = 2\nz = 3", [(2, "%time")]),
        ("%timeit -n 10 -r3 f(x)", "pass;             f(x)", [(1, "%timeit -n 10 -r3")]),
        ("%time train now", "pass\n", [(1, "%time train now")]),
        ("%%timeit?\nx", "\n\n", [(1, "%%timeit?")]),
        ("%md\n# Some words", "pass\n# Some words", [(1, "%md")]),
        ("%md\nSome words", "\n\n", [(1, "%md")]),
        ("%sql select 1\nx = 1", "pass\nx = 1", [(1, "%sql select 1")]),
        ("%%debug\nx = 1", "\nx = 1", [(1, "%%debug")]),
        ("!pip install \\\n  torch\nx = 1", "pass\n\nx = 1", [(1, "!pip install \\")]),
        ("pip install torch\nx = 1", "pass\nx = 1", [(1, "pip install torch")]),
        ("pip = cd = 1\n!ls", "pip = cd = 1\npass\n", [(2, "!ls")]),
        ("out = %env HOME\n", "out = None\n", [(1, "out = %env HOME")]),
        ("x = 1  # why?\n?x\nx?", "x = 1  # why?\npass\npass\n", [(2, "?x"), (3, "x?")]),
        ("  x = 1\n  !ls\n  %time y = 2", "  x = 1\n  pass\n  pass; y = 2", [(2, "!ls"), (3, "%time")]),
        ("x = 1\r\n!ls\r\ny = 2", "x = 1\r\npass\ny = 2", [(2, "!ls")]),
        ("x = 'a\u2028b'\n!ls", "x = 'a\u2028b'\npass\n", [(2, "!ls")]),
        ("if a:\n    !ls -l {x}\n    b()", "if a:\n    pass\n    b()", [(2, "!ls -l {x}")]),
        ("files = !ls\nprint(1)", "files = []\nprint(1)", [(1, "files = !ls")]),
        ("torch.ones?", "pass\n", [(1, "torch.ones?")]),
        ("s = '''\n%not magic\n'''\n%magic", "s = '''\n%not magic\n'''\npass\n", [(4, "%magic")]),
        ("x = (7\n  % 4)\n!ls", "x = (7\n  % 4)\npass\n", [(3, "!ls")]),
        ("x = 7 \\\n  % 4", "x = 7 \\\n  % 4", []),
        ("%%bash\nrm x\n", "\n\n", [(1, "%%bash")]),
        ("\n%%time\nx = 1\n%pwd\n", "\n\nx = 1\npass\n", [(2, "%%time"), (4, "%pwd")]),
        ("await f()", "await f()", []),
        ("x = = 1", "x = = 1", []),
    ],
)
def test_what_is_no_python_is_left_out(cell: str, python: str, left_out: list[tuple[int, str]]) -> None:
    assert notebook.without_magics(cell) == (python, left_out)


def test_python_stays_as_it_is() -> None:
    for file in Path(__file__).parent.glob("test_launch*.py"):
        text = file.read_text(encoding="utf-8")
        assert notebook.without_magics(text) == (text, [])


def test_lines_keep_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    cells = [{"cell_type": "code", "source": ["%magic\n", "\n", "def f():\n", "    return 1\n"]}]
    path.write_text(json.dumps({"cells": cells}))
    [code], [skipped] = notebook.compile_cells(str(path))
    assert (code.co_filename, skipped) == (f"{path}[1]", (1, 1, "%magic"))
    assert notebook.cell_of(code.co_filename) == (str(path), 1)
    assert code.co_consts[0].co_firstlineno == 3


def test_a_cell_may_be_indented_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    source = "  # Words.\n  x = 1\n\n  def f():\n    return x\n  !ls\n  y = f()"
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": source}]}))
    [code], _ = notebook.compile_cells(str(path))
    held: dict[str, object] = {}
    exec(code, held)
    function = held["f"].__code__  # type: ignore[attr-defined]
    assert (held["y"], code.co_firstlineno, function.co_firstlineno) == (1, 1, 4)


def test_a_notebook_in_another_language_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    path.write_text(json.dumps({"cells": [], "metadata": {"kernelspec": {"name": "ir", "language": "R"}}}))
    with pytest.raises(notebook.NotebookError, match="its language is r"):
        notebook.compile_cells(str(path))


def test_a_cell_in_another_language_is_counted_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    shell = {"cell_type": "code", "source": "ls -l /", "metadata": {"vscode": {"languageId": "shellscript"}}}
    path.write_text(json.dumps({"cells": [shell, {"cell_type": "code", "source": "x = 1"}]}))
    codes, _ = notebook.compile_cells(str(path))
    assert [code.co_filename for code in codes] == [f"{path}[1]", f"{path}[2]"]


@pytest.mark.parametrize("text", ["{", "[]", '{"cells": 3}', "\xff"])
def test_what_is_no_notebook_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "n.ipynb"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(notebook.NotebookError, match=r"n\.ipynb is no notebook"):
        notebook.compile_cells(str(path))


def test_the_oldest_format_is_read(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    path.write_text(json.dumps({"worksheets": [{"cells": [{"cell_type": "code", "input": "x = 1"}]}]}))
    assert len(notebook.compile_cells(str(path))[0]) == 1


@pytest.mark.parametrize(
    ("words", "is_module", "program", "arguments"),
    [
        (["a.py", "--mode", "x"], False, "a.py", ("--mode", "x")),
        (["-m", "pack.mod", "-m"], True, "pack.mod", ("-m",)),
        (["--max-steps", "3", "--", "--odd.py", "b"], False, "--odd.py", ("b",)),
    ],
)
def test_options_end_at_the_program(
    words: list[str], is_module: bool, program: str, arguments: tuple[str, ...]
) -> None:
    found = launch_options.parse(["--mode", "strict", "--report", "r.json", *words])
    assert (found.is_module, found.program, found.arguments) == (is_module, program, arguments)
    assert (found.kind, found.devices, found.max_seconds) == ("cuda", 1, None)


@pytest.mark.parametrize("words", [[], ["-m"], ["--mode", "odd", "a.py"], ["--kin", "cuda", "a.py"]])
def test_a_wrong_command_line_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ending:
        launch_options.parse(["--mode", "strict", "--report", "r.json", *words])
    assert ending.value.code == 2
    assert "launch.py: error" in capsys.readouterr().err
