"""Columns for interpreters that know lines alone, held against those that know columns."""

from __future__ import annotations

import dis
import linecache
import types
from pathlib import Path

import pytest

from devfix.simulator.old_positions import position

TEXT = """\
def total(values, scale=1):
    found = first(values) + second(
        values) * first(scale)
    return [found * value for value in values][0]
"""


@pytest.fixture
def code(tmp_path: Path) -> types.CodeType:
    """The code object of the function above."""
    file = tmp_path / "program.py"
    file.write_text(TEXT)
    names: dict[str, types.FunctionType] = {}
    exec(compile(TEXT, str(file), "exec"), names)
    return names["total"].__code__


def test_operators_and_calls_stand_where_python_says(code: types.CodeType) -> None:
    checked = 0
    for instruction in dis.get_instructions(code):
        known = getattr(instruction, "positions", None)
        if known is not None and instruction.opname in ("BINARY_OP", "BINARY_SUBSCR", "CALL"):
            expected = (known.lineno, known.end_lineno, known.col_offset, known.end_col_offset)
            assert position(code, instruction.offset) == expected
            checked += 1
    if not hasattr(code, "co_positions"):
        pytest.skip("this Python has nothing to compare with")
    assert checked >= 5


def test_of_a_file_that_is_another_by_now_nothing_is_said(code: types.CodeType) -> None:
    Path(code.co_filename).write_text(TEXT.replace("first", "third"))
    linecache.checkcache(code.co_filename)
    assert position(code, 0) is None


def test_of_a_file_that_is_gone_nothing_is_said(code: types.CodeType) -> None:
    Path(code.co_filename).unlink()
    linecache.checkcache(code.co_filename)
    assert position(code, 0) is None
