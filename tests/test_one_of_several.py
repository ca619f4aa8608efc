"""One of several: what stands in one place of a list, or is the first of a heap, need not be what another item is."""

from __future__ import annotations

import pytest
from text_program import clashes

HEAD = """
import heapq
from itertools import cycle, groupby

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(4, device=device)
there, host = torch.ones(4, device=device), torch.ones(4)
pairs = [(3, there), (1, host)]
"""
RIGHT = [
    "x = x + sorted(pairs, key=lambda pair: pair[0])[-1][1]",
    "for number, each in sorted(pairs, reverse=True)[:1]: x = x + each",
    "for number, each in heapq.nlargest(1, pairs): x = x + each",
    "heapq.heapify(pairs)\nheapq.heappop(pairs)\nx = x + heapq.heappop(pairs)[1]",
    "for number, group in groupby(pairs, key=lambda pair: pair[0]):\n    if number == 3:\n        for _, each in group: x = x + each",
    "for one, each in zip([x], cycle([there, host])): x = one + each",
]


@pytest.mark.parametrize("use", RIGHT)
def test_one_of_them_is_taken(use: str) -> None:
    assert clashes(f"{HEAD}{use}\n") == []
    wrong = HEAD.replace("torch.ones(4, device=device), torch.ones(4)", "torch.ones(4), torch.ones(4)")
    assert len(clashes(f"{wrong}{use}\n")) == 1


MIXED = """
many = [(host, True), (there, False), (there, False), (there, False), (there, False), (there, False)]
for number, (each, is_host) in enumerate(many):
    {body}
    x = x + each
"""


@pytest.mark.parametrize(
    "body",
    [
        "if is_host: continue",
        "if number == 0: continue",
        "if is_host: each = each.to(device)",
        "each = each.to(device) if is_host else each",
    ],
)
def test_what_a_loop_asks_of_each_of_several_that_differ(body: str) -> None:
    assert clashes(HEAD + MIXED.format(body=body)) == []
    assert len(clashes(HEAD + MIXED.format(body="pass"))) == 1


def test_a_loop_that_asks_for_every_place_meets_each() -> None:
    body = """
rows = sorted(pairs, key=lambda pair: pair[0])
for number in range(len(rows)):
    x = x + rows[number][1]
"""
    assert set(clashes(HEAD + body)) == {f"{(HEAD + body).count(chr(10))}: device"}
