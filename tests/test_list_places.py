"""What is taken out of a known place of a list, and what stays in it."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes

PROGRAM = """
import collections
import dataclasses
import sys
import torch

here = torch.ones(4, device="cuda")
host, there = torch.zeros(4), torch.zeros(4, device="cuda")


class Pair:
    __match_args__ = ("second", "first")

    def __init__(self, first, second):
        self.first, self.second = first, second


@dataclasses.dataclass
class Fields(Pair):
    made: torch.Tensor = dataclasses.field(init=False, default=None)
    first: torch.Tensor
    second: torch.Tensor


{}
"""
MIXED = ("there, host", "host, there")


def _clash(body: str) -> bool:
    found = clashes(PROGRAM.format(body))
    assert {each.partition(": ")[2] for each in found} <= {"device"}
    return bool(found)


@pytest.mark.parametrize(
    "use",
    [
        "values = [{0}]; here + values.pop()",
        "values = [{0}]; values.pop(0); here + values[0]",
        "values = [1, {0}, 2]; number = values.pop(-1); here + values[-1]",
        "values = [{0}]; del values[0]; here + values[0]",
        "values = [{0}]; del values[-2]; here + values.pop()",
        "values = [1]; first, second = {0}; values.insert(0, second); here + values[0]",
        "values = collections.deque([{0}]); values.popleft(); here + values[0]",
        "first, second = {0}; values = collections.deque(); values.appendleft(first); values.appendleft(second); here + values[0]",
        "match Pair({0}):\n    case Pair(value, _):\n        here + value",
        "match Fields({0}):\n    case Fields(_, value):\n        here + value",
    ],
)
def test_an_item_is_taken_from_its_place(use: str) -> None:
    second_is_on_the_cpu, second_is_there = map(use.format, MIXED)
    assert _clash(second_is_on_the_cpu)
    assert not _clash(second_is_there)


@pytest.mark.parametrize(
    "use",
    [
        "values = [{0}]; here + values.pop(len(sys.argv))",
        "values = [{0}]\nwhile len(sys.argv) < 3:\n    values.pop(0)\nhere + values.pop()",
        "values = [{0}]\nif len(sys.argv) < 3:\n    values.pop(0)\nhere + values.pop()",
        "values = [{0}, {0}]; kept = [values.pop(0) for _ in sys.argv]; here + values.pop(0)",
        "values = [{0}, {0}]; kept = list(map(lambda _: values.pop(0), sys.argv)); here + values.pop(0)",
        "values = set(); first, second = {0}; values.add(first); values.add(second); here + values.pop()",
        "values = collections.deque([{0}, here, here], maxlen=3); values.append(here); here + values.popleft()",
        "values = collections.deque([{0}], maxlen=2); values.append(here); values.append(here); here + values[1]",
    ],
)
def test_nothing_is_known_of_an_item_that_may_be_any(use: str) -> None:
    assert not any(_clash(use.format(values)) for values in MIXED)


def test_python_agrees() -> None:
    text = """
        import collections
        import torch

        values = [1, "a", torch.ones(2), 2.5]
        last, first = values.pop(), values.pop(0)
        values.insert(0, torch.zeros(3).double())
        values.insert(-1, True)
        values.insert(9, None)
        begun = values[0]
        del values[1]
        del values[-1]
        rows = collections.deque([1, torch.ones(2)])
        rows.appendleft("x")
        text, rest = rows.popleft(), rows.pop()
        del rows
        kept = tuple(filter(lambda each: each is not None, [None, torch.ones(3), 1]))
        true = list(filter(None, [0, 2, "", "b"]))
    """
    assert lies(text) == []
