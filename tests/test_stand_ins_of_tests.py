"""Classes of files of tests are judged as the tests use them: a stand-in that no test brings to a device needs none."""

from __future__ import annotations

import pytest
from text_program import check_texts, names

STAND_IN = """import pytest
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, **inputs):
        return self.linear(torch.randn(2, 4))


@pytest.fixture
def encoder():
    return Encoder()
"""
TEST = """

def test_shape(encoder):
    assert encoder(ids=None).shape == (2, 4)
"""
METHOD = """

class TestShape:
    def test_shape(self, encoder):
        assert encoder(ids=None).shape == (2, 4)
"""
MOVED = """

def test_shape():
    encoder = Encoder().to("cuda")
    assert encoder(ids=None).shape == (2, 4)
"""
RUN = """

if __name__ == "__main__":
    print(test_shape)
"""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("test_encoder.py", STAND_IN + TEST),
        ("tests/encoder_test.py", STAND_IN + METHOD),
        ("tests/conftest.py", STAND_IN),
    ],
)
def test_a_stand_in_is_left_alone(path: str, text: str) -> None:
    assert check_texts({path: text}) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("encoder.py", STAND_IN + TEST),
        ("test_encoder.py", STAND_IN),
        ("test_encoder.py", STAND_IN + TEST + RUN),
        ("test_encoder.py", STAND_IN + MOVED),
    ],
)
def test_what_runs_or_is_moved_is_found(path: str, text: str) -> None:
    assert names(check_texts({path: text})) == {"created-on-cpu"}


def test_a_method_that_is_a_test_is_judged() -> None:
    text = """import torch


class TestShift:
    def test_shift(self):
        rows = torch.rand(2, 3, device="cuda")
        assert (rows + torch.ones(3)).shape == (2, 3)
"""
    assert names(check_texts({"test_shift.py": text})) == {"created-on-cpu"}
