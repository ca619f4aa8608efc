"""Cells as one program: what stands in for what is no Python, which line is which, and what cannot be taken apart."""

from __future__ import annotations

import ast
import re

import pytest
from notebook_texts import bare, cells_of

from devfix.findings import Span
from devfix.notebooks import CellPlace, Notebook, SeparationError
from devfix.source import Source, check_syntax

MAGICS = """\
%matplotlib inline
!pip install \\
    torch
import torch
if torch:
    %cd x
    files = !ls
    %time y = f(x)
z = 1
z?"""


def texts(notebook: Notebook, program: str) -> tuple[str, ...]:
    return notebook.layout(program).texts


def test_the_program_is_python_and_the_cells_come_back() -> None:
    notebook = Notebook.of_cells([MAGICS, "%%bash\nls", "%%time\n\nx = 2\n", "", "# only words", "w = 1;"])
    tree = ast.parse(notebook.program)
    assert [type(node).__name__ for node in tree.body] == [
        *("Pass", "Pass", "Import", "If", "Assign", "Pass"),
        *("Assign", "Assign"),
    ]
    assert texts(notebook, notebook.program) == notebook.cells.texts


def test_a_program_without_cells_is_empty() -> None:
    assert Notebook.of_cells([]).program == ""
    assert Notebook.of_cells(["%%html\n<b>"]).program == ""
    assert Notebook.of_cells([]).layout().place(1, 0) == CellPlace(1, 1, 0)


def test_cells_in_another_language_are_counted_and_left_out() -> None:
    notebook = Notebook.of_cells(["ls -l /", "x = 1"], [False, True])
    assert notebook.program == "x = 1\n"
    assert notebook.layout().place(1, 2) == CellPlace(2, 1, 2)


@pytest.mark.parametrize(
    ("line", "column", "place"),
    [
        ("import torch", 7, (1, 4, 7)),
        ("    y = f(x)", 4, (1, 8, 10)),
        ("    y = f(x)", 8, (1, 8, 14)),
        ("    y = f(x)", 2, (1, 8, 2)),
        ("z = 1", 0, (1, 9, 0)),
        ("x = 2", 4, (3, 3, 4)),
        ("w = 1;", 0, (6, 1, 0)),
    ],
)
def test_a_position_of_the_program_is_a_place_in_a_cell_and_back(
    line: str, column: int, place: tuple[int, int, int]
) -> None:
    notebook = Notebook.of_cells([MAGICS, "%%bash\nls", "%%time\n\nx = 2\n", "", "# only words", "w = 1;"])
    lines = notebook.program.splitlines()
    (number,) = (number for number, text in enumerate(lines, 1) if text.split("  #")[0] == line)
    layout = notebook.layout()
    assert layout.place(number, column) == place
    assert layout.position(CellPlace(*place)) == (number, column)


def test_every_line_of_python_is_found_from_its_cell() -> None:
    cells = ["a = 1\n\n\nb = 2\n", "%%time\nc = 3", "!ls \\\n /\nd = 4"]
    layout = Notebook.of_cells(cells).layout()
    program = Notebook.of_cells(cells).program.splitlines()
    found = {
        line: program[at[0] - 1]
        for cell, text in enumerate(cells, 1)
        for number, line in enumerate(text.splitlines(), 1)
        if (at := layout.position(CellPlace(cell, number, 0)))
    }
    assert found == {
        **{line: line for line in ("a = 1", "", "b = 2", "c = 3", "d = 4")},
        "!ls \\": "pass  #devfix-escape-1",
    }


def test_a_region_belongs_to_the_cell_that_it_begins_in() -> None:
    notebook = Notebook.of_cells(["x = (1,\n  2)", "y = 3"])
    layout = notebook.layout()
    assert layout.span(Span(1, 4, 2, 4)) == (1, Span(1, 4, 2, 4))
    assert layout.span(Span(2, 2, 5, 3)) == (1, Span(2, 2, 2, 2))


def test_the_indentation_of_a_whole_cell_is_kept() -> None:
    cell = "%%time\n  # Words.\n  x = 1\n\n  if x:\n    %cd x\n    %time y = f(x)\n  z = 2"
    notebook = Notebook.of_cells([cell])
    assert notebook.fault(notebook.program) is None
    program = notebook.program.replace("x = 1\n", "x = 1\nv = 1\n").replace("f(x)", "f(x.cpu())")
    layout = notebook.layout(program)
    assert layout.texts == (cell.replace("  x = 1\n", "  x = 1\n  v = 1\n").replace("f(x)", "f(x.cpu())"),)
    number = program.splitlines().index("z = 2") + 1
    assert layout.place(number, 4) == CellPlace(1, 9, 6)
    assert layout.position(CellPlace(1, 9, 6)) == (number, 4)
    timed = next(number for number, line in enumerate(program.splitlines(), 1) if "f(x.cpu())" in line)
    assert layout.place(timed, 6) == CellPlace(1, 8, 14)
    assert layout.position(CellPlace(1, 8, 14)) == (timed, 6)


def test_lines_are_found_after_edits_too() -> None:
    notebook = Notebook.of_cells(["x = 1", "%%time\n!ls \\\n  /\ny = 2"])
    program = notebook.program.replace("x = 1\n", "x = 1\nw = 1\n\n").replace("y = 2", "v = 1\ny = 2")
    layout = notebook.layout(program)
    assert layout.texts == ("x = 1\nw = 1", "%%time\n!ls \\\n  /\nv = 1\ny = 2")
    number = program.splitlines().index("y = 2") + 1
    assert layout.place(number, 0) == CellPlace(2, 5, 0)
    assert layout.position(CellPlace(2, 5, 0)) == (number, 0)


@pytest.mark.parametrize(
    ("before", "after", "cell"),
    [
        ("x = 1", "x = 1\n\n", "x = 1"),
        ("x = 1", "\n\nx = 1", "x = 1"),
        ("\nx = 1\n\n", "\n\nx = 2\n\n\n", "\nx = 2\n\n"),
        ("%time f(x)", "%time f(x.to(device))", None),
        ("%time x = 1", "%time y = 1; x = 2", None),
    ],
)
def test_blank_lines_around_a_cell_do_not_grow(before: str, after: str, cell: str | None) -> None:
    notebook = Notebook.of_cells(["a = 1", before, "b = 1"])
    old, new = (text.replace("%time ", "") for text in (before, after))
    program = notebook.program.replace(old, new, 1)
    assert program != notebook.program
    assert texts(notebook, program) == ("a = 1", after if cell is None else cell, "b = 1")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("#devfix-cell-2\n", "", "reaches across cells"),
        ("#devfix-cell-2\n", "#devfix-cell-2\n#devfix-cell-2\n", "reaches across cells"),
        ("pass  #devfix-escape-1\n", "", "takes away a line that only IPython understands"),
        ("pass  #devfix-escape-1\n", "pass  #devfix-escape-1\npass  #devfix-escape-1\n", "takes away"),
        ("pass  #devfix-escape-1", "x = 1  #devfix-escape-1", "changes a line that only IPython understands"),
        ("y = f(x)  #devfix-escape-8", "#devfix-escape-8", "changes a line that only IPython understands"),
        ("y = f(x)  #devfix-escape-8", "y = f(\nx)  #devfix-escape-8", "changes a line that only"),
        ("    y = f(x)  #devfix", "    if x:\n        y = f(x)  #devfix", "changes a line that only IPython"),
        ("files = get_ipython()", "files = get_ipython().to(0)", "changes a line that only IPython"),
    ],
)
def test_an_edit_that_reaches_too_far_is_refused(old: str, new: str, reason: str) -> None:
    notebook = Notebook.of_cells([MAGICS, "x = 1"])
    assert old in notebook.program
    program = notebook.program.replace(old, new)
    with pytest.raises(SeparationError, match=reason):
        notebook.layout(program)
    fault = check_syntax(Source("n.ipynb", program, notebook=notebook))
    assert fault.reason.startswith(f"the cells cannot be told apart: an edit {reason}")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("cells", "fault"),
    [
        (["x = (1,", "2)"], r"has a syntax error in cell 1, line 1: '\(' was never closed"),
        (["if x:\n    y = 1", "    z = 1\nw = 1"], "has a syntax error in cell 2, line 1: unexpected indent"),
        (["%%time\n!ls \\\n /\nx = 1\nprint x"], "has a syntax error in cell 1, line 5: Missing parentheses"),
        (["@wraps", "def f(): pass"], "has a syntax error in cell 1, line 1"),
    ],
)
def test_each_cell_is_python_by_itself(cells: list[str], fault: str) -> None:
    notebook = Notebook.of_cells(cells)
    found = notebook.fault(notebook.program)
    assert found is not None
    assert re.match(fault, found)


def test_a_program_cut_into_cells_is_the_same_program() -> None:
    text = "import a\n\n\ndef f(x):\n    return x\n\n\n# words\ny = f(1); z = 2\n"
    for size in (1, 2, 5):
        notebook = Notebook.of_cells(cells_of(text, size))
        assert ast.dump(ast.parse(notebook.program)) == ast.dump(ast.parse(text))
        assert bare("\n".join(notebook.cells.texts)) == bare(text)
