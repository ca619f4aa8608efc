"""What is made to be filled is of the dtype of what is written to it, where it is refused for its own as well."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

TEXT = """\
import torch
from torch import nn

class Tokens:
    def __init__(self, values, mask):
        self.values, self.mask = values, mask

    def padded(self):
        values = self.values
        out = torch.zeros(*self.mask.shape, 4{told})
        out[self.mask] = {written}{more}
        return out

class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 4)
        self.top = nn.Linear(4, 2)

    def forward(self, ids):
        tokens = Tokens(self.embed(ids)[ids != 0], ids != 0)
        return {used}

print(Tagger().half()(torch.tensor([[1, 0], [2, 3]])).sum())
"""
USED = "self.top(tokens.padded())"


def fixed(written: str = "self.values", more: str = "", used: str = USED) -> str:
    texts = {"main.py": TEXT.format(written=written, more=more, used=used, told="")}
    return fix_texts(texts, Applicability.UNSAFE)[0]["main.py"]


@pytest.mark.parametrize("written", ["self.values", "values"])
def test_one_dtype_is_told_for_two_casts(written: str) -> None:
    told = f", dtype={written}.dtype"
    assert fixed(written) == TEXT.format(written=written, more="", used=USED, told=told)


def test_what_is_wanted_as_it_is_gets_the_values_cast() -> None:
    used = "tokens.padded().sum()"
    assert fixed(used=used) == TEXT.format(written="self.values.float()", more="", used=used, told="")


@pytest.mark.parametrize(
    ("written", "more"),
    [
        ("self.values * 2", ""),
        ("self.values", "\n        out[0] = 1.5"),
        ("values", "\n        values = values.float()"),
    ],
)
def test_what_may_not_be_there_or_is_not_all_that_is_written_tells_no_dtype(written: str, more: str) -> None:
    after = fixed(written, more)
    assert "dtype=" not in after
    assert f"out[self.mask] = ({written}).float()" in after or f"out[self.mask] = {written}.float()" in after


_ROUTED = """\
import torch
from torch import nn

class Routed(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = nn.Linear(4, 2)
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def forward(self, x):
        weight, choice = self.router(x{cast}).softmax(-1).max(-1)
        out = torch.zeros({made})
        for number, expert in enumerate(self.experts):
            at = (choice == number).nonzero().squeeze(-1)
            {write}
        return {result}

class Sorter(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(9, 4){kept}
        self.routed = Routed().bfloat16()
        self.top = nn.Linear(4, 3).bfloat16()

    def forward(self, ids):
        return self.top(self.routed(self.embed(ids)))

print(Sorter()(torch.arange(9)).sum())
"""
_ADDED = "out.index_add_(0, at, expert(x[at]) * weight[at].unsqueeze(-1))"
_LIKE = "x.shape, device=x.device"


def routed(**parts: str) -> str:
    told = {"cast": "", "made": _LIKE, "write": _ADDED, "result": "x + out", "kept": ".bfloat16()", **parts}
    return _ROUTED.format(**told)


@pytest.mark.parametrize("made", [_LIKE, "x.size(0), 4", "len(x), 4, device=x.device"])
@pytest.mark.parametrize("write", [_ADDED, "out[at] = expert(x[at])"])
def test_what_is_made_like_an_input_is_of_its_dtype(made: str, write: str) -> None:
    after, _ = fix_texts({"main.py": routed(made=made, write=write)}, Applicability.UNSAFE)
    assert after["main.py"] == routed(made=f"{made}, dtype=x.dtype", write=write)


@pytest.mark.parametrize(
    "parts",
    [
        {"made": "9, 4"},
        {"write": f"{_ADDED}\n            out.index_add_(0, at, x[at].float())"},
        {"cast": ".bfloat16()", "write": _ADDED.replace("x[at]", "x[at].bfloat16()"), "kept": ""},
        {"result": "(x + out).bfloat16()"},
    ],
)
def test_what_is_of_another_dtype_for_a_reason_stays_so(parts: dict[str, str]) -> None:
    after, _ = fix_texts({"main.py": routed(**parts)}, Applicability.UNSAFE)
    assert "dtype=" not in after["main.py"]
    assert clashes(after["main.py"]) == []


#: Floats that are written into a tensor of whole numbers, whose fill value nobody wrote as a float.
_WRITTEN = """
import torch

def pooled(x, group, n, empty=0):
    start = torch.full((n, x.size(1)), empty{dtype})
    {write}
    return start.sum(0)

print(pooled(torch.rand(4, 2){cast}, torch.tensor([0, 1, 1, 0]), 3))
"""


@pytest.mark.parametrize(
    "write",
    [
        "start = start.scatter_reduce(0, group[:, None].expand_as(x), x, 'amax')",
        "start.scatter_add_(0, group[:, None].expand_as(x), x)",
        "start.index_add_(0, group, x)",
        "start = torch.index_copy(start, 0, group, x)",
    ],
)
def test_what_floats_are_written_into_is_made_of_floats(write: str) -> None:
    text = _WRITTEN.replace("{write}", write)
    before = text.replace("{cast}", "").replace("{dtype}", "")
    after, _ = fix_texts({"main.py": before}, Applicability.UNSAFE)
    assert after["main.py"] == text.replace("{cast}", "").replace("{dtype}", ", dtype=x.dtype")
    assert clashes(after["main.py"]) == []


def test_what_comes_of_them_is_taken_to_be_of_floats() -> None:
    text = _WRITTEN.replace("{write}", "start = start.index_add(0, group, x)").replace("{cast}", "")
    text = text.replace("start.sum(0)", "torch.softmax(start, 0)")
    assert clashes(text.replace("{dtype}", "")) == ["6: dtype"]
    assert clashes(text.replace("{dtype}", ", dtype=x.dtype")) == []


def test_whole_numbers_are_written_into_whole_numbers() -> None:
    text = _WRITTEN.replace("{write}", "start.index_add_(0, group, x)\n    start = start.float()")
    assert clashes(text.replace("{cast}", ".long()").replace("{dtype}", "")) == []


_KEPT = """
import torch

class Totals:
    def __init__(self, n):
        self.total = {made}

    def add(self, index, x):
        self.total.{write}_(0, index, x)

totals = Totals(3)
totals.add(torch.tensor([0, 2]), {values})
print(totals.total{used})
"""


@pytest.mark.parametrize("write", ["scatter_add", "index_add"])
def test_floats_are_not_rounded_to_be_written_into_integers(write: str) -> None:
    before = _KEPT.format(
        made="torch.zeros(n, dtype=torch.long)", write=write, values="torch.rand(2)", used=""
    )
    after, _ = fix_texts({"main.py": before}, Applicability.UNSAFE)
    assert after["main.py"] == before.replace("torch.long", "torch.float32")


def test_ones_are_as_good_as_integers() -> None:
    before = _KEPT.format(made="torch.tensor([1, 2, 3])", write="index_add", values="torch.ones(2)", used="")
    after, _ = fix_texts({"main.py": before}, Applicability.UNSAFE)
    assert "self.total = torch.tensor([1, 2, 3])\n" in after["main.py"]
    assert clashes(after["main.py"]) == []


@pytest.mark.parametrize("write", ["total.index_add_(0, index, x)", "total.mul_(x.sum())"])
def test_what_is_an_index_as_well_is_cast_where_it_is_one(write: str) -> None:
    before = f"""
import torch

class Totals:
    def __init__(self, n):
        self.total = torch.arange(n)

    def add(self, index, x):
        self.{write}

totals = Totals(3)
totals.add(torch.tensor([0, 2]), torch.rand(2))
print(torch.nn.Embedding(9, 2)(totals.total))
"""
    after, _ = fix_texts({"main.py": before}, Applicability.UNSAFE)
    assert "(totals.total.long())" in after["main.py"]
    assert clashes(after["main.py"]) == []
