"""What is computed item by item: which items there are, and that nothing is computed where nobody asks."""

from __future__ import annotations

import pytest
from text_program import clashes

HEAD = """
import itertools, operator
from functools import reduce
import torch
from torch import nn

device = torch.device("cuda")
x = torch.ones(2, device=device)
host = torch.ones(2)
nets = [nn.Linear(2, 2) for _ in range(3)]

"""


def found(body: str) -> list[str]:
    return [each.partition(": ")[2] for each in clashes(HEAD + body)]


MOVES = ["map(lambda net: net.to(device), nets)", "(net.to(device) for net in nets)"]


@pytest.mark.parametrize("moves", MOVES)
def test_what_nobody_asks_for_is_not_done(moves: str) -> None:
    assert found(f"{moves}\nnets[0](x)") == ["device"]
    assert found(f"list({moves})\nnets[0](x)") == []
    assert found(f"for net in {moves}: net(x)") == []
    assert found(f"[*{moves}]\nnets[2](x)") == []


@pytest.mark.parametrize(
    ("made", "faulty"),
    [
        ("itertools.tee([host, x])", "first, second = {}; next(first) + x"),
        ("itertools.pairwise([x, host, x])", "for a, b in {}: a + x"),
        ("itertools.combinations([x, host], 2)", "for a, b in {}: b + x"),
        ("itertools.product([x, host], [1, 2])", "for a, n in {}: a + x"),
        ("itertools.zip_longest([x], [x, x], fillvalue=host)", "for a, b in {}: a + x"),
        ("itertools.starmap(operator.mul, [(x, 1), (host, 2)])", "for a in {}: a + x"),
        ("sum([x, x], host)", "{} + x"),
        ("sum((x for _ in range(9)), start=host)", "{}"),
        ("sum([x, host])", "{}"),
        ("min([], default=host)", "{} + x"),
    ],
)
def test_each_item_is_where_it_is(made: str, faulty: str) -> None:
    assert found(faulty.format(made)) == ["device"]
    assert found(faulty.format(made.replace("host", "host.to(device)"))) == []


@pytest.mark.parametrize(
    "body",
    [
        "first, second = itertools.tee([host, x])\nnext(second)\nfor a, b in zip(first, second): b + x",
        "for a, b in itertools.combinations([x, host], 2): a + x",
        "for a, b in itertools.zip_longest([host, x], [x, x]): b + x",
        "for a in itertools.starmap(operator.mul, [(x, 1), (x, 2)]): a + x",
        "max([x.sum(), x.mean()], default=host) + x",
        "sum([x, x], 0) + x",
    ],
)
def test_what_is_not_taken_is_not_met(body: str) -> None:
    assert found(body) == []


def test_what_a_function_gives_is_the_object_that_it_has() -> None:
    body = """
root = {}
reduce(lambda held, key: held.setdefault(key, {}), ["a", "b"], root)["c"] = torch.ones(2)
root["a"]["b"]["c"] + x
"""
    assert found(body) == ["device"]
    assert found(body.replace("torch.ones(2)\n", "x\n")) == []
    rows = "rows = [[], []]\nfor row in map(lambda row: row, rows): row.append(host)\nrows[1][0] + x"
    assert found(rows) == ["device"]


def test_the_variables_around_a_comprehension_are_those_of_the_function() -> None:
    body = """
def build():
    weight = torch.ones(2{made})
    return {{name: value for name, value in locals().items()}}

build()["weight"] + x
"""
    assert found(body.format(made="")) == ["device"]
    assert found(body.format(made=", device=device")) == []
