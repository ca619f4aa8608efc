"""Which numbers of what two runs print have to be the same, and when they are."""

from __future__ import annotations

import math

import pytest

from devfix.proof.printed import Tolerance, compared, declared, numbers_in

EXACT, LOOSE = Tolerance(), Tolerance(0.02, 0.001)


def differing(first: str, second: str, tolerance: Tolerance = EXACT) -> list[tuple[str, str]]:
    return [(each.first, each.second) for each in compared(first, second, tolerance)[1]]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("loss 0.5", "loss 0.5"),
        ("loss 0.5 (3.2s)", "loss 0.5 (11.9s)"),
        ("loss 0.5 took 3.2", "loss 0.5 took 11.9"),
        ("epoch 1 [00:12<01:10] loss 0.5", "epoch 1 [00:31<03:10] loss 0.5"),
        ("2024-01-02 10:11:12,345 loss 0.5", "2025-11-12 00:01:02,999 loss 0.5"),
        ("saved to runs/exp3/model_7.pt, loss 0.5", "saved to runs/exp9/model_8.pt, loss 0.5"),
        ("tensor(0.5000, device='cuda:0')", "tensor(0.5000)"),
        ("running on cuda:0\nloss 0.5", "running on cpu\nloss 0.5"),
        ("<object at 0x7f12ab> 1", "<object at 0x7fffff> 1"),
        ("memory: 812 MB, 120 images/s, loss 1", "memory: 93 MB, 7 images/s, loss 1"),
        (" 10%|#   | 1/10 [00:01<00:09]\rloss 1", "100%|####| 10/10 [00:01<00:00]\rloss 1"),
        ("\x1b[32mloss\x1b[0m 1", "loss 1"),
        ("loss nan", "loss nan"),
        ("hello", "something else"),
        ("a 1\nb 2", "b 2\na 1"),
    ],
)
def test_what_is_the_same(first: str, second: str) -> None:
    assert differing(first, second) == []


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("loss 0.5", "loss 0.6", [("0.5", "0.6")]),
        ("epoch 1/10 loss 0.5", "epoch 2/10 loss 0.5", [("1", "2")]),
        ("loss 1\nloss 2", "loss 1\nloss 3", [("2", "3")]),
        ("loss 1\nloss 2", "loss 1", [("2 lines", "1 lines")]),
        ("loss 1e-05", "loss 2e-05", [("1e-05", "2e-05")]),
        ("loss -0.5", "loss 0.5", [("-0.5", "0.5")]),
        ("loss nan", "loss 0.5", [("nan", "0.5")]),
        ("loss 0.5", "accuracy 0.5", [("1 lines", "0 lines"), ("0 lines", "1 lines")]),
        ("[1, 2, 3]", "[1, 2]", [("1 lines", "0 lines"), ("0 lines", "1 lines")]),
    ],
)
def test_what_differs(first: str, second: str, expected: list[tuple[str, str]]) -> None:
    assert differing(first, second) == expected


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("loss 100.0", "loss 101.0", True),
        ("loss 100.0", "loss 105.0", False),
        ("loss 0.01", "loss 0.02", True),
        ("loss 0.0100", "loss 0.0200", False),
        ("loss 1e-05", "loss 2e-05", True),
        ("loss inf", "loss 3.0", False),
        ("only here 1\nloss 2.0", "loss 2.0", True),
    ],
)
def test_numbers_may_be_apart(first: str, second: str, same: bool) -> None:
    assert (differing(first, second, LOOSE) == []) is same


def test_numbers_are_counted() -> None:
    assert compared("loss 1 acc 2\nhi", "loss 1 acc 2\nho", EXACT)[0] == 2
    assert compared("took 3 s", "took 4 s", EXACT)[0] == 0


def test_declared_results_are_the_rest_of_their_lines() -> None:
    assert declared("RESULT 1.5\nRESULTS 3\n  RESULT: loss=2 acc=3\nno RESULT 4") == ["1.5", "loss=2 acc=3"]


def test_numbers_are_no_parts_of_words() -> None:
    assert numbers_in("conv2d layer3 v1.2.3x 4 -.5 6. 7e2 resnet50 8%") == [4, -0.5, 6, 700, 8]


def test_not_a_number_is_only_like_itself() -> None:
    assert LOOSE.accepts(math.nan, math.nan)
    assert not LOOSE.accepts(math.nan, 1.0)
    assert LOOSE.accepts(math.inf, math.inf)
    assert not LOOSE.accepts(math.inf, -math.inf)
