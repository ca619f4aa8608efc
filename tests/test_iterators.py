"""What ``next`` takes of an iterator over known items, one after the other."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes

PROGRAM = """
import collections
import sys
import elsewhere
import torch

device = torch.device("cuda")
here = torch.ones(4, device=device)
host, there = torch.zeros(4), torch.zeros(4, device=device)


def each(*values):
    for value in values:
        yield value


def first_two(given):
    return next(given), next(given)


class Rows:
    def __init__(self, *values):
        self.values = iter(values)

    def take(self):
        return next(self.values)


"""
MIXED = "there, host", "host, there"


def _clash(body: str) -> bool:
    found = clashes(PROGRAM + body)
    assert {each.partition(": ")[2] for each in found} <= {"device"}
    return bool(found)


@pytest.mark.parametrize(
    "taken",
    [
        "rows = iter([{0}]); next(rows); here + next(rows)",
        "rows = iter(({0})); next(rows); here + next(rows, None)",
        "values = [{0}]; rows = iter(values); same = rows; next(same); here + next(rows)",
        "rows = iter(dict(enumerate([{0}])).values()); next(rows); here + next(rows)",
        "rows = each({0}); next(rows); here + next(rows)",
        "rows = each({0}, {0}); next(rows); next(rows); next(rows); here + next(rows)",
        "a, b = first_two(iter([{0}])); here + b",
        "rows = Rows({0}); rows.take(); here + rows.take()",
        "rows = iter([{0}]); next(rows)\nfor value in rows:\n    here + value",
        "rows = iter([{0}]); next(iter(rows)); here + next(rows)",
        "rows = iter([{0}]); next(rows); (value,) = rows; here + value",
        "rows = each({0}); next(rows); here + [value for value in rows][0]",
        "values = []; rows = iter(values); values += [{0}]; next(rows); here + next(rows)",
    ],
)
def test_next_takes_one_item_after_the_other(taken: str) -> None:
    second_is_on_the_cpu, second_is_there = map(taken.format, MIXED)
    assert _clash(second_is_on_the_cpu)
    assert not _clash(second_is_there)


@pytest.mark.parametrize(
    "taken",
    [
        "rows = iter([{0}])\nfor step in range(len(sys.argv)):\n    next(rows)\nhere + next(rows)",
        "rows = iter([{0}])\nif len(sys.argv) > 1:\n    next(rows)\nhere + next(rows)",
        "rows = iter([{0}])\nfor value in rows:\n    if len(sys.argv) > 1:\n        break\nhere + next(rows)",
        "rows = each({0})\nwhile len(sys.argv) < 3:\n    next(rows)\nhere + next(rows)",
        "rows = each({0}); first_two(rows); here + next(rows)",
        "rows = each({0}); other = rows; next(other); here + next(rows)",
        "rows = each({0})\nfor value in rows:\n    break\nhere + next(rows)",
        "rows = iter([{0}])\nfor place, value in enumerate(rows):\n    break\nhere + next(rows)",
        "rows = iter([{0}, {0}])\nfor place, value in zip(range(1), rows):\n    pass\nhere + next(rows)",
        "rows = iter([{0}]); twice = map(abs, rows); next(twice); here + next(rows)",
        "rows = iter([{0}]); any(value is host for value in rows); here + next(rows, here)",
        "rows = iter([{0}]); host in rows; here + next(rows, here)",
        "rows = iter([{0}]); collections.deque(rows, maxlen=0); here + next(rows, here)",
        "rows = iter([{0}, {0}])\nfor a, b in zip(rows, rows):\n    here + b",
        "rows = iter([{0}, {0}]); kept = [next(rows) for _ in sys.argv]; here + next(rows)",
        "rows = iter([{0}, {0}]); kept = list(map(lambda _: next(rows), sys.argv)); here + next(rows)",
        "rows = iter([{0}]); elsewhere.take(rows); here + next(rows)",
    ],
)
def test_nothing_is_known_of_an_iterator_that_may_have_come_anywhere(taken: str) -> None:
    assert not any(_clash(taken.format(values)) for values in MIXED)


def test_what_an_asynchronous_generator_gives_is_taken_in_turn() -> None:
    program = (
        PROGRAM
        + """
import asyncio

async def numbers():
    yield {0}
    yield {1}

async def main():
    rows = numbers()
    await anext(rows)
    return here + await anext(rows)

asyncio.run(main())
"""
    )
    assert clashes(program.format("there", "host"))
    assert not clashes(program.format("host", "there"))


def test_python_agrees() -> None:
    text = """
        import torch

        def numbers():
            yield 1
            yield torch.zeros(3)
            yield 3.5

        rows = iter([torch.ones(2), 2, torch.ones(4).double()])
        first, second = next(rows), next(rows)
        (third,) = rows
        given = numbers()
        one, zeros = next(given), next(given)
        left = [each for each in given]
        values = [1]
        later = iter(values)
        values.append(torch.ones(3))
        number, added = next(later), next(later)
        again = iter(later)
        keys = iter({"a": 1, "b": 2})
        a, b = next(keys), keys.__next__()
    """
    assert lies(text) == []
