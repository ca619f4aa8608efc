"""Quotients of whole numbers that say places: the division is mended, not what looks something up by them."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

HEAD = """\
import torch

torch.manual_seed(0)
table = torch.arange(20.0).view(5, 4)
ids = torch.tensor([3, 7, 18])
width = 4
"""


def _fixed(text: str) -> str:
    after, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert fix_texts(after, Applicability.UNSAFE)[0] == after
    return after["main.py"]


def _lines(body: str) -> list[str]:
    return _fixed(HEAD + body)[len(HEAD) :].splitlines()


@pytest.mark.parametrize(
    ("division", "mended"),
    [
        ("ids / width", "ids // width"),
        ("ids / (width * 1)", "ids // (width * 1)"),
        ("(ids + 0) / (width)", "(ids + 0) // (width)"),
        ("(ids/width).view(-1)", "(ids//width).view(-1)"),
        ("ids / table.size(1)", "ids // table.size(1)"),
        ("ids / torch.tensor(4)", "ids // torch.tensor(4)"),
        ("(ids / width).clamp(max=4)", "(ids // width).clamp(max=4)"),
        ("(ids / 2) / 2", "(ids // 2) // 2"),
        ("torch.div(ids, width)", 'torch.div(ids, width, rounding_mode="floor")'),
        ("ids.div(width)", 'ids.div(width, rounding_mode="floor")'),
        ("torch.divide(ids, width)", 'torch.divide(ids, width, rounding_mode="floor")'),
    ],
)
@pytest.mark.parametrize("use", ["table[rows, ids % width]", "torch.nn.functional.one_hot(rows, 5)"])
def test_a_division_of_whole_numbers_gives_whole_numbers(division: str, mended: str, use: str) -> None:
    body = f"rows = {division}\nfound = {use}\n"
    lines = _lines(body)
    assert lines == [f"rows = {mended}", f"found = {use}"]
    names: dict[str, object] = {}
    exec(HEAD + "\n".join(lines), names)
    assert names["rows"].tolist() == [0, 1, 4]  # type: ignore[attr-defined]


BEAM = """\
import torch


class Beam:
    def __init__(self, size):
        self.size = size
        self.origins = []
        self.tokens = [torch.zeros(size, dtype=torch.long)]

    def advance(self, scores):
        width = scores.size(1)
        _, best = scores.view(-1).topk(self.size)
        origin = best / width
        self.origins.append(origin)
        self.tokens.append(best - origin * width)


embed = torch.nn.Embedding(5, 5)
beam = Beam(2)
hidden = torch.rand(2, 5)
for _ in range(3):
    beam.advance(hidden + embed(beam.tokens[-1]))
    hidden = hidden.index_select(0, beam.origins[-1])
"""


def test_what_is_reckoned_with_the_quotient_is_whole_as_well() -> None:
    assert _fixed(BEAM) == BEAM.replace("best / width", "best // width")
    exec(_fixed(BEAM), {})


def test_each_of_several_divisions_is_mended_where_it_is() -> None:
    text = """\
import torch


def places(heat, k):
    b, c, h, w = heat.size()
    _, found = heat.view(b, -1).topk(k)
    kind = found / (h * w)
    found = found % (h * w)
    return kind, found / w, found % w


names, grid = torch.rand(3, 4), torch.rand(5, 6)
kind, row, column = places(torch.rand(2, 3, 5, 6), 4)
print(names[kind].sum() + grid[row, column].sum())
"""
    assert _fixed(text) == text.replace("found / ", "found // ")


def test_targets_that_are_quotients_are_divided_as_whole_numbers() -> None:
    lines = _lines("coarse = ids / width\ntorch.nn.functional.cross_entropy(torch.rand(3, 5), coarse)\n")
    assert lines[0] == "coarse = ids // width"


@pytest.mark.parametrize(
    "body",
    [
        "rows = ids.float() / width",
        "rows = ids / 4.0",
        "rows = torch.true_divide(ids, width)",
        "share = ids / width\nrows = share * 1.5",
        "share = ids / width\nmore = torch.sin(share)\nrows = share",
        "share = ids / width\nmore = torch.rand(3) * share\nrows = share",
    ],
)
def test_floats_from_elsewhere_are_cast_where_they_are_used(body: str) -> None:
    lines = _lines(f"{body}\ntable.index_select(0, rows)\n")
    assert lines == [*body.splitlines(), "table.index_select(0, rows.long())"]


def test_a_division_that_others_use_for_floats_stays() -> None:
    body = "\n\ndef half(x):\n    return x / 2\n\n\nshare = half(torch.rand(3))\ntable.index_select(0, half(ids))\n"
    assert _fixed(HEAD + body) == HEAD + body.replace("half(ids)", "half(ids).long()")


@pytest.mark.parametrize(
    "body",
    [
        "rows = ids // width\ntable.index_select(0, rows)",
        'rows = torch.div(ids, width, rounding_mode="trunc")\ntable.index_select(0, rows)',
        "rows = (ids / width).long()\ntable.index_select(0, rows)",
        "share = ids / width\nprint(table[:3, 0] * share)",
        "ratio = ids / ids.sum()\nprint(ratio.mean())",
        "mask = ids / 4 > 1\nprint(ids[mask])",
    ],
)
def test_what_works_is_left_alone(body: str) -> None:
    text = f"{HEAD}{body}\n"
    exec(text, {})
    assert clashes(text) == []
    assert _fixed(text) == text
