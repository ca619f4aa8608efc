"""Python as the analysis runs it: what it claims of small programs is what Python makes of them."""

from __future__ import annotations

from textwrap import dedent

import pytest
from decided_programs import PROGRAMS
from reality import lies
from text_program import Ending
from undecided_programs import UNCERTAIN

from devfix.analysis.domain import values
from devfix.analysis.domain.values import Const


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_the_answer_is_known_and_right(text: str) -> None:
    text = dedent(text)
    assert lies(text) == []
    assert is_exact(Ending(text)["answer"])


def is_exact(value: values.Value) -> bool:
    if isinstance(value, values.TupleValue):
        return all(map(is_exact, value.items))
    return isinstance(value, Const)


@pytest.mark.parametrize("text", UNCERTAIN.values(), ids=UNCERTAIN)
def test_nothing_false_is_said(text: str) -> None:
    assert lies(dedent(text)) == []
