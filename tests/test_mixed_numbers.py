"""A number that is whole in one case and a fraction in another decides no dtype by itself."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes

from devfix.analysis.domain.values import UNKNOWN, Array

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


def test_a_layer_is_given_what_may_be_whole_or_not() -> None:
    text = f"""{_BEFORE}
import torch
from torch import nn

layer = nn.Embedding(3, 2)
layer(torch.from_numpy(np.vectorize(lambda x: 0 if x < 9 else 0.5)(a)))
"""
    assert not clashes(text)
    assert clashes(text.replace("0 if x < 9 else 0.5", "0.5")) == ["21: index-dtype"]
