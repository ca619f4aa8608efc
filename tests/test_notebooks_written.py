"""A notebook is written back around its new cells, and every other byte stays, however the file is formatted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from notebook_texts import document

from devfix.notebooks import Notebook, NotebookError, OtherLanguageError

Dump = Callable[[Any], str]


def _as_html(text: str) -> str:
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _lists_on_a_line(text: str) -> str:
    def joined(found: re.Match[str]) -> str:
        return f'"source": {json.dumps(json.loads(found[1]), ensure_ascii=False)}'

    return re.sub(r'"source": (\[.*?\n +\])', joined, text, flags=re.DOTALL)


FORMATS: dict[str, Dump] = {
    "jupyter": lambda held: json.dumps(held, indent=1, ensure_ascii=False) + "\n",
    "ascii": lambda held: json.dumps(held, indent=1),
    "colab": lambda held: _as_html(json.dumps(held, indent=2, ensure_ascii=False)),
    "sorted": lambda held: json.dumps(held, indent=4, sort_keys=True, ensure_ascii=False) + "\n",
    "tabs": lambda held: json.dumps(held, indent="\t", ensure_ascii=False),
    "one-line": lambda held: json.dumps(held, ensure_ascii=False),
    "compact": lambda held: json.dumps(held, separators=(",", ":")),
    "spacious": lambda held: json.dumps(held, separators=(" , ", " : "), ensure_ascii=False),
    "crlf": lambda held: json.dumps(held, indent=1, ensure_ascii=False).replace("\n", "\r\n") + "\r\n",
    "lists-on-a-line": lambda held: _lists_on_a_line(json.dumps(held, indent=2, ensure_ascii=False)),
}
SHAPES: dict[str, Callable[[str], Any]] = {
    "lines": lambda text: text.splitlines(keepends=True),
    "string": lambda text: text,
    "list-of-one": lambda text: [text],
}
#: Cells before and after: what is replaced, added at either end, taken away, and hard to write.
CHANGES = {
    "middle": ("x = 1\ny = 2 < 3\nz = 'é\\t'", "x = 1\ny = x.to(device)\nz = 'é\\t'"),
    "end": ("x = 1\ny = 2", "x = 1\ny = 2\nz = 3"),
    "start": ("x = 1\ny = 2\n", "import torch\nx = 1\ny = 2\n"),
    "shorter": ("x = 1\ny = 2\nz = 3", "x = 1\ny = 2"),
    "one-line": ("x = 1", "x = 2"),
    "hard": ("a = 'ü'\n\nb = '\\\\'", "a = 'ü'\n\nb = '\"<ü𝄞/\\\\\\n'\n\tc = 1"),
    "two": ("x = 1\nx = 1\ny = 1", "x = 1\ny = 1\nx = 1\ny = 2"),
}


def reshaped(cells: list[str], shape: str) -> dict[str, Any]:
    held = document(cells)
    for cell, text in zip(held["cells"][1:], cells, strict=True):
        cell["source"] = SHAPES[shape](text)
    return held


def rewritten(raw: str, before: str, after: str) -> str:
    """The file when the program's text is another; the parts do not have to be Python."""
    notebook = Notebook.parse(raw)
    return notebook.written(_edited(notebook.program, before, after))


def _edited(program: str, before: str, after: str) -> str:
    old, new = (text.removesuffix("\n") + "\n" for text in (before, after))
    assert old in program
    return program.replace(old, new)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("form", FORMATS)
def test_only_the_source_of_the_changed_cell_becomes_another(form: str, shape: str, change: str) -> None:
    before, after = CHANGES[change]
    # Something tells how the file writes what is not ASCII, and what lists of strings look like.
    around = "first = 'é' < 'ü𝄞'\nsecond = '\"/&'", "last = 1\n\n"
    dump = FORMATS[form]
    raw = dump(reshaped([around[0], before, around[1]], shape))
    if shape == "lines" and change == "one-line" and form == "compact":
        assert Notebook.parse(raw).sources[1].separator(raw) is None
    assert rewritten(raw, before, after) == dump(reshaped([around[0], after, around[1]], shape))
    assert Notebook.parse(raw).written(Notebook.parse(raw).program) == raw


def test_a_string_in_a_list_of_many_lines_stays_one() -> None:
    raw = '{"cells": [{"cell_type": "code", "source": [ "x = 1\\ny = 2" ]}]}'
    assert rewritten(raw, "y = 2", "y = 3") == raw.replace("2", "3")


def test_a_list_whose_strings_are_not_lines_becomes_one_of_lines() -> None:
    raw = '{"cells": [{"cell_type": "code", "source": ["x = ", "1\\ny = 2\\n", "z = 3"]}]}'
    new = rewritten(raw, "z = 3", "z = 4")
    assert json.loads(new)["cells"][0]["source"] == ["x = 1\n", "y = 2\n", "z = 4"]


def test_a_list_that_jupyter_split_where_python_does_not_keeps_its_strings() -> None:
    lines = ["x = 'a\u2028", "b'\n", "y = 1\n", "z = 2"]
    raw = json.dumps({"cells": [{"cell_type": "code", "source": lines}]}, ensure_ascii=False)
    assert rewritten(raw, "z = 2", "z = 3") == raw.replace("z = 2", "z = 3")


def test_lines_that_stay_are_spelled_as_they_were() -> None:
    source = r'"a = \"\u003c\/\"\nb = \"\u003C/\"\nc = 1"'
    raw = f'{{"cells":[{{"cell_type":"code","source":{source}}}]}}'
    assert rewritten(raw, "c = 1", "c = '</'") == raw.replace("c = 1", r"c = '\u003c\/'")


@pytest.mark.parametrize("newline", ["\r\n", "\r", "\n"])
def test_cells_keep_their_own_newlines(newline: str) -> None:
    cell = f"x = 1{newline}y = 2{newline}z = 3"
    raw = json.dumps({"cells": [{"cell_type": "code", "source": cell}]})
    new = rewritten(raw, "y = 2", "y = 3\nw = 4")
    assert json.loads(new)["cells"][0]["source"] == f"x = 1{newline}y = 3{newline}w = 4{newline}z = 3"


def test_mixed_newlines_stay_where_they_are() -> None:
    raw = json.dumps({"cells": [{"cell_type": "code", "source": "x = 1\r\ny = 2\nz = 3\r\n"}]})
    new = rewritten(raw, "z = 3", "z = 3\nw = 4")
    assert json.loads(new)["cells"][0]["source"] == "x = 1\r\ny = 2\nz = 3\r\nw = 4\r\n"


def test_of_a_key_that_is_there_twice_the_last_one_counts() -> None:
    raw = '{"cells": [], "cells": [{"source": "x = 0", "cell_type": "code", "source": "x = 1"}]}'
    assert rewritten(raw, "x = 1", "x = 2") == raw.replace("x = 1", "x = 2")


def test_words_that_look_like_a_source_elsewhere_are_left_alone() -> None:
    held = document(["x = 1"])
    held["metadata"]["source"] = held["cells"][1]["metadata"]["source"] = ["x = 1"]
    raw = FORMATS["jupyter"](held)
    new = json.loads(rewritten(raw, "x = 1", "x = 2"))
    assert new["metadata"]["source"] == new["cells"][1]["metadata"]["source"] == ["x = 1"]
    assert new["cells"][1]["source"] == ["x = 2"]


def test_a_cell_that_loses_its_only_line_is_empty() -> None:
    raw = json.dumps({"cells": [{"cell_type": "code", "source": ["x = 1"]}]}, indent=1)
    assert json.loads(Notebook.parse(raw).written(""))["cells"][0]["source"] == []


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("", "is no notebook: Expecting value"),
        ("[]", "is no notebook: "),
        ("{}", "is no notebook: 'cells' is missing"),
        ('{"cells": 3}', "is no notebook: it has no list of cells"),
        ('{"cells": []} x', "is no notebook: Extra data"),
        ('{"cells": [3]}', "is no notebook: "),
        ('{"cells": [{"cell_type": "code"}]}', "is no notebook: 'source'"),
        (
            '{"cells": [{"cell_type": "code", "source": 3}]}',
            "is no notebook: the source of a cell is no text",
        ),
        (
            '{"cells": [{"cell_type": "code", "source": ["x", 3]}]}',
            "is no notebook: the source of a cell is no",
        ),
        ('{"cells": [{"cell_type": "code", "source": "#devfix-cell-3"}]}', "has a cell with `#devfix-`"),
        ('{"worksheets": [], "nbformat": 3}', "is in notebook format 3"),
        ("[" * 100_000, "is nested too deeply"),
    ],
)
def test_what_is_no_notebook_is_refused(raw: str, reason: str) -> None:
    with pytest.raises(NotebookError) as refusal:
        Notebook.parse(raw)
    assert str(refusal.value).startswith(reason)


@pytest.mark.parametrize(
    ("metadata", "language"),
    [
        ({"kernelspec": {"language": "julia"}}, "julia"),
        ({"language_info": {"name": "R"}, "kernelspec": {"language": "python"}}, "r"),
        ({"kernelspec": {"name": "python3", "display_name": "Python 3"}}, None),
        ({"language_info": {"name": "ipython"}}, None),
        ({"kernelspec": None}, None),
        ({}, None),
    ],
)
def test_the_kernel_tells_the_language(metadata: dict[str, Any], language: str | None) -> None:
    raw = json.dumps({**document(["x = 1"]), "metadata": metadata})
    if language is None:
        assert Notebook.parse(raw).program == "x = 1\n"
        return
    with pytest.raises(OtherLanguageError, match=f"its language is {language}"):
        Notebook.parse(raw)
