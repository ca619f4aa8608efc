"""``functools.singledispatch`` and ``singledispatchmethod``: what the type of an argument chooses, as Python does."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes

from devfix.analysis.domain.values import Const

METHODS = """
from functools import singledispatchmethod
import torch

class Base:
    def __init__(self, n):
        self.n = n

    @singledispatchmethod
    def made(self, how):
        return "nothing"

    @made.register
    def _(self, how: int):
        return "number"

    @made.register(list)
    @made.register(tuple)
    def _of_row(self, how):
        return [self.made(each) for each in how]

    @made.register(torch.Tensor)
    def _of_tensor(self, how):
        return how + torch.ones(self.n)

class Kind(Base):
    pass

kind = Kind(2)
"""

EXPRESSIONS = [
    "kind.made(3)",
    "kind.made('x')",
    "kind.made((1, 'x'))",
    "kind.made(torch.ones(2))",
    "Kind(3).made([[1], None])",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_the_argument_behind_the_object_chooses_a_method(expression: str) -> None:
    assert lies(f"{METHODS}result = {expression}\n") == []


def test_what_a_chosen_method_makes_meets_the_accelerator() -> None:
    assert clashes(METHODS + "kind.made(torch.ones(2).cuda())\n") == ["24: device"]
    assert clashes(METHODS + "kind.made(torch.ones(2))\n") == []


ENUMERATION = """
from enum import Enum
from functools import singledispatch

class Kind(Enum):
    A = "a"

@singledispatch
def told(value):
    return "something"

@told.register({first})
def _one(value):
    return "one"

@told.register({second})
def _other(value):
    return "other"

member, text, number = told(Kind.A), told("a"), told(1)
"""


@pytest.mark.parametrize(("first", "second"), [("Kind", "str"), ("str", "Kind"), ("Enum", "str")])
def test_a_member_of_an_enumeration_is_not_taken_for_its_value(first: str, second: str) -> None:
    text = ENUMERATION.format(first=first, second=second)
    names: dict[str, object] = {}
    exec(text, names)
    ending = Ending(text)
    for name in ("member", "text", "number"):
        found = ending[name]
        assert not isinstance(found, Const) or found.value == names[name], name
