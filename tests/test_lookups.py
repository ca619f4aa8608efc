"""Floats that several lookups refuse are cast where they enter torch, if they serve as nothing else."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

GRAPH = """
    import numpy as np
    import torch
    from torch import nn

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


    class Conv(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = nn.Linear(4, 4)

        def forward(self, x, edges):
            HERE


    def read(path):
        return torch.from_numpy(np.loadtxt(path).T)


    def main():
        edges = read("edges.txt")
        x, edges = (each.to(device) for each in (torch.ones(3, 4), edges))
        net = Conv().to(device)
        THEN
        print(net(x, edges))


    main()
"""

UNPACKED = [
    "source, target = edges",
    "h = self.lin(x)[source]",
    "return torch.zeros_like(x).index_add(0, target, h)",
]
ROWS = ["h = self.lin(x)[edges[0]]", "return torch.zeros_like(x).index_add(0, edges[1], h)"]


def _added(lines: list[str], then: str = "net.eval()") -> list[str]:
    body = ("\n" + " " * 12).join(lines)
    before = dedent(GRAPH.replace("HERE", body).replace("THEN", then))
    after = fix_texts({"main.py": before}, Applicability.UNSAFE)[0]["main.py"]
    old = before.splitlines()
    return [line.strip() for line in after.splitlines() if line not in old]


@pytest.mark.parametrize("lines", [UNPACKED, ROWS])
def test_what_is_an_index_alone_is_cast_once_where_it_enters(lines: list[str]) -> None:
    assert _added(lines) == ["return torch.from_numpy(np.loadtxt(path).T).long()"]


@pytest.mark.parametrize(
    "then", ["print(edges.shape, len(edges))", "edges = edges.contiguous()", "same = edges; edges = same"]
)
def test_what_is_asked_of_it_whatever_its_dtype_does_not_matter(then: str) -> None:
    assert _added(UNPACKED, then) == ["return torch.from_numpy(np.loadtxt(path).T).long()"]


@pytest.mark.parametrize("then", ["print(edges / 2)", "print(edges[0] * 0.5)", "print(edges.mean())"])
def test_what_is_reckoned_with_as_well_is_cast_where_it_is_an_index(then: str) -> None:
    assert _added(UNPACKED, then) == [
        "h = self.lin(x)[source.long()]",
        "return torch.zeros_like(x).index_add(0, target.long(), h)",
    ]


def test_a_table_of_which_a_column_is_no_index_keeps_its_floats() -> None:
    lines = [
        "source, target, weight = edges",
        "h = self.lin(x)[source] * weight.float()[:, None]",
        "return torch.zeros_like(x).index_add(0, target, h)",
    ]
    assert _added(lines) == [
        "h = self.lin(x)[source.long()] * weight.float()[:, None]",
        "return torch.zeros_like(x).index_add(0, target.long(), h)",
    ]


def test_what_may_be_a_mask_as_well_is_left_to_a_person() -> None:
    assert _added(["source, target = edges", "h = self.lin(x)", "return h[source] + h[target]"]) == []


@pytest.mark.parametrize(
    "body",
    ["parts = [row for row in edges]", "other = edges\n            print(other * 2)", "self.kept = edges"],
)
def test_what_is_known_by_another_name_as_well_may_be_more_than_an_index(body: str) -> None:
    assert "loadtxt" not in "".join(_added([body, *ROWS]))


def test_what_another_function_takes_a_column_of_keeps_its_floats() -> None:
    helper = "def share(edges):\n    return edges[2].sum()\n\n\n"
    before = dedent(
        GRAPH.replace("HERE", ("\n" + " " * 12).join(ROWS)).replace("THEN", "print(share(edges))")
    )
    before = before.replace("def main():", helper + "def main():")
    after = fix_texts({"main.py": before}, Applicability.UNSAFE)[0]["main.py"]
    assert "np.loadtxt(path).T)\n" in after
    assert "index_add(0, edges[1].long(), h)" in after


WORDS = """
import sys
import torch
from torch import nn


class Table(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = nn.Embedding(8, 8)

    def forward(self, ids):
        return self.rows(ids)


class Bare(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = nn.Parameter(torch.zeros(8, 8))

    def forward(self, ids):
        return self.rows[ids]


def grow(model, ids):
    for _ in range(3):
        SHORT
        ids = torch.cat((ids, model(short)[:, -1:].argmax(-1)), dim=1)
    return ids


model = Table() if len(sys.argv) > 1 else Bare()
print(model(torch.arange(4)).sum(), grow(model, torch.zeros(2, 1)))
"""


def _grown(short: str) -> list[str]:
    before = WORDS.replace("SHORT", short)
    after = fix_texts({"main.py": before}, Applicability.UNSAFE)[0]["main.py"].splitlines()
    return [line.strip() for line in after if line not in before.splitlines()]


@pytest.mark.parametrize(
    "short", ["short = ids if ids.size(1) < 4 else ids[:, -4:]", "short = ids[:, -4:]", "short = ids"]
)
def test_what_is_chosen_or_cut_from_it_is_an_index_as_well(short: str) -> None:
    (line,) = _grown(short)
    assert "torch.zeros(2, 1, dtype=torch.int64)" in line


@pytest.mark.parametrize(
    "short",
    [
        "short = ids; last = ids[:, -1] * 0.5",
        "short = ids; ids[:, -1].mul_(0.5)",
        "short = ids; print(torch.sigmoid(ids[:, -1]))",
    ],
)
def test_what_is_reckoned_with_a_part_of_it_keeps_its_floats(short: str) -> None:
    assert not any("dtype" in line for line in _grown(short))
