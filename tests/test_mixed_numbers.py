"""A number that is whole in one case and a fraction in another decides no dtype by itself."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes

from devfix.analysis.domain.values import UNKNOWN, Array, Const, Scalar, Tensor, TupleValue

_BEFORE = """
import math

import numpy as np

a = np.arange(-2, 3) / 2
k = int(a[0]) - len(__name__) + len("__main__")


def clipped(x):
    if x < 0:
        return 0
    return math.sqrt(x)


"""


@pytest.mark.parametrize(
    "made",
    [
        "np.vectorize(clipped)(a)",
        "np.vectorize(lambda x: 0 if x < 0 else 0.5)(a)",
        "np.vectorize(lambda x: max(0, float(x)))(a)",
        "np.apply_along_axis(lambda row: 0 if row[0] < 0 else 0.5, 0, a)",
        "np.array(2 ** -k)",
        "np.full(3, 2 ** -k)",
        "np.array([clipped(a[0])])",
        "np.array([clipped(a[0]) for _ in range(9)])",
        "np.arange(clipped(a[0]))",
        "np.arange(3) * clipped(a[0])",
        "np.where(a > 0, clipped(a[0]), 0)",
        "np.maximum(np.arange(3), clipped(a[0]))",
        "np.array(-clipped(a[0]))",
        "np.array(abs(clipped(a[0])))",
        "np.array(clipped(a[0]) + 1)",
        "np.array(sum([clipped(a[0])]))",
        "np.array(round(clipped(a[0]), 1))",
        "np.vectorize(lambda x: 2 * clipped(x))(a)",
        "np.apply_along_axis(lambda row: row * clipped(row[0]), 0, np.arange(-4, 4))",
    ],
)
def test_a_number_that_may_be_whole_decides_no_dtype(made: str) -> None:
    text = f"{_BEFORE}made = {made}\n"
    value = Ending(text)["made"]
    assert value == UNKNOWN or (isinstance(value, Array) and value.dtype is None)
    assert not lies(text)


@pytest.mark.parametrize(
    "made",
    [
        "np.vectorize(math.exp)(a)",
        "np.vectorize(lambda x: 0.0 if x < 0 else 0.5)(a)",
        "np.apply_along_axis(lambda row: 0.25 if row[0] < 0 else 0.5, 0, a)",
        "np.array([0, 0.5])",
        "np.array([2 ** -i for i in range(3)])",
        "np.full(3, 2 ** -float(k))",
        "np.array(clipped(a[0]) / 2)",
        "np.array(clipped(a[0]) + 0.5)",
        "np.array(round(0.25 + clipped(a[0]), 1))",
        "a * clipped(a[0])",
        "np.apply_along_axis(np.max, 0, a)",
        "np.apply_along_axis(np.max, 1, np.ones((2, 3)))",
    ],
)
def test_a_number_that_is_a_fraction_does(made: str) -> None:
    text = f"{_BEFORE}made = {made}\n"
    value = Ending(text)["made"]
    assert isinstance(value, Array)
    assert value.dtype == "float64"
    assert not lies(text)


@pytest.mark.parametrize(
    "made",
    [
        "torch.tensor(m)",
        "torch.tensor([m, m])",
        "torch.full((2,), m)",
        "t + m",
        "-m * t",
        "torch.add(t, m)",
        "t.clamp(min=m)",
        "torch.pow(m, t)",
        "torch.where(t > 0, m, 0)",
        "default_collate([m, m])",
    ],
)
def test_a_tensor_has_the_dtype_of_a_number_that_is_known(made: str) -> None:
    text = f"""{_BEFORE}
import torch
from torch.utils.data import default_collate

m = clipped(a[0])
t, f = torch.arange(3), torch.ones(3)
made = {made}
other = f + m, torch.mul(f, m), torch.tensor(m / 2), torch.tensor(m + 0.5), t.new_tensor(m)
"""
    end = Ending(text)
    made_of_it, others = end["made"], end["other"]
    assert isinstance(made_of_it, Tensor)
    assert made_of_it.dtype is None
    assert isinstance(others, TupleValue)
    assert [getattr(each, "dtype", "") for each in others.items] == [*["float32"] * 4, "int64"]
    assert not lies(text)


@pytest.mark.parametrize(
    ("test", "known"),
    [
        ("isinstance(m, float)", False),
        ("isinstance(m, int)", False),
        ("isinstance(m, numbers.Integral)", False),
        ("isinstance(m, str)", True),
    ],
)
def test_of_which_type_a_number_is_may_be_unknown(test: str, known: bool) -> None:
    text = f"import numbers\n{_BEFORE}m = clipped(a[0])\ntold = {test}\n"
    assert isinstance(Ending(text)["told"], Const) is known
    assert not lies(text)


def test_a_number_equals_one_of_another_type() -> None:
    text = f"""{_BEFORE}
match clipped(a[0]):
    case 0:
        told = "none"
    case _:
        told = "some"
match 8.0:
    case 8:
        other = "whole"
    case _:
        other = "part"
"""
    end = Ending(text)
    assert (end["told"], end["other"]) == (Scalar("str"), Const("whole"))
    assert not lies(text)


def test_a_label_that_is_whole_as_written_is_an_index() -> None:
    text = """
import torch
from torch import nn


def number(text):
    value = float(text)
    if value.is_integer():
        return int(value)
    return value


table = nn.Embedding(9, 2)
rows = [[number(word) for word in line.split()] for line in open("rows.txt")]
for row in rows:
    table(torch.tensor(row))
"""
    assert not clashes(text)
    assert clashes(text.replace("return int(value)", "return 1.0")) == ["16: index-dtype"]


def test_a_layer_is_given_what_may_be_whole_or_not() -> None:
    text = f"""{_BEFORE}
import torch
from torch import nn

layer = nn.Embedding(3, 2)
layer(torch.from_numpy(np.vectorize(lambda x: 0 if x < 9 else 0.5)(a)))
"""
    assert not clashes(text)
    assert clashes(text.replace("0 if x < 9 else 0.5", "0.5")) == ["21: index-dtype"]
