"""Integers that are written to in place: which results they take is as PyTorch has it."""

from __future__ import annotations

import warnings

import pytest
from text_program import clashes

STATEMENTS = """
    k.mul_(2)
    k.mul_(0.5)
    k.floor_divide_(2)
    k.floor_divide_(0.5)
    k.remainder_(x)
    k.fmod_(2)
    k.pow_(2)
    k.pow_(0.5)
    k.div_(2)
    k.div_(2, rounding_mode="floor")
    k.atan2_(k.clone())
    k.copysign_(2)
    k.xlogy_(2)
    k.hypot_(x)
    k.addcmul_(x, x)
    k.addcmul_(k.clone(), k.clone())
    k.addcdiv_(x, x)
    k.sqrt_()
    k.exp_()
    k.log_()
    k.sigmoid_()
    k.tanh_()
    k.reciprocal_()
    torch.sqrt_(k)
    k.abs_()
    k.neg_()
    k.square_()
    k.round_()
    k.random_(3)
    k.bernoulli_(0.5)
    k.geometric_(0.5)
    k.fill_(0.5)
    k.masked_fill_(k > 0, 0.5)
    x.sqrt_()
    x.mul_(k)
    x.atan2_(k)
    k.add_(torch.bincount(k, minlength=3)[:3])
    k.add_(torch.bincount(k, weights=x, minlength=3)[:3])
    k.add_(torch.bincount(k, weights=k, minlength=3)[:3])
    k.add_(torch.bincount(k, weights=None, minlength=3)[:3])
    x.add_(torch.bincount(k, weights=x.double(), minlength=3)[:3])
"""
SETTING = "import torch\nk, x = torch.ones(3, dtype=torch.int64), torch.ones(3)\n"


def _is_refused(statement: str) -> bool:
    setting: dict[str, object] = {}
    exec(SETTING, setting)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(statement, setting)
    except (RuntimeError, NotImplementedError):
        return True
    return False


@pytest.mark.parametrize("statement", [line.strip() for line in STATEMENTS.strip().splitlines()])
def test_what_is_refused_in_place_is_what_pytorch_refuses(statement: str) -> None:
    assert clashes(SETTING + statement) == ["3: in-place-dtype"] * _is_refused(statement)
