"""Truths in differences, which PyTorch refuses on every device: ``1 - done``."""

from __future__ import annotations

import pytest
from reality import run
from text_program import clashes, files, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import torch

values, counts = torch.ones(3), torch.arange(3)
done, other = values > 0, values > 2
{statement}
"""


@pytest.mark.parametrize(
    ("statement", "mended"),
    [
        ("left = values * (1 - done)", "left = values * (1 - done.float())"),
        ("left = 1.0 - (values > 0)", "left = 1.0 - (values > 0).float()"),
        ("left = done - 1", "left = done.float() - 1"),
        ("left = values - done", "left = values - done.float()"),
        ("left = done - values.double()", "left = done.float() - values.double()"),
        ("values -= done", "values -= done.float()"),
        ("left = 1 - sum([done], other)", "left = 1 - sum([done], other).float()"),
        ("left = torch.sub(values, done)", "left = torch.sub(values, done.float())"),
        ("left = torch.sub(done, 1)", "left = torch.sub(done.float(), 1)"),
        ("left = torch.subtract(1, done)", "left = torch.subtract(1, done.float())"),
        ("left = torch.rsub(done, 1)", "left = torch.rsub(done.float(), 1)"),
        ("left = values.sub(done)", "left = values.sub(done.float())"),
        ("left = values.sub_(done)", "left = values.sub_(done.float())"),
    ],
)
def test_truths_beside_floats_and_numbers_are_cast(statement: str, mended: str) -> None:
    text, after = (PROGRAM.format(statement=each) for each in (statement, mended))
    with pytest.raises(RuntimeError, match="with a bool tensor is not supported"):
        run(text)
    assert clashes(text) == ["6: float-dtype"]
    assert fix_texts(files(text), Applicability.UNSAFE)[0]["main.py"] == after
    run(after)
    assert clashes(after) == []


@pytest.mark.parametrize(
    "statement",
    [
        "left = 1 - done.float()",
        "left = 1 - done.long()",
        "left = ~done",
        "left = done ^ other",
        "left = 1 + done",
        "left = values * done",
        "left = values - counts",
        "left = 1 - counts",
        "left = 1 - done.sum()",
        "left = 1 - sum(done)",
        "left = 1 - sum([done, other])",
        "left = 1 - sum((each for each in (done, other)), start=0.5)",
        "left = 1 - done.any().item()",
        "left = 1 - values.clone().logical_not_()",
        "left = 1 - done.clamp(min=0)",
        "left = 1 - done.clamp(max=1.0)",
        "left = 1 - done.pow(exponent=2.0)",
        "left = 1 - torch.tensor(sum(done.tolist()))",
        "left = 1 - torch.tensor(sum(done.tolist(), 0.5))",
        "left = 1 - torch.tensor(sum([True, False]))",
        "left = 1 - done.numpy()[0].astype(int)",
    ],
)
def test_what_is_subtracted_else_stays(statement: str) -> None:
    text = PROGRAM.format(statement=statement)
    run(text)
    assert clashes(text) == []
    assert fix_texts(files(text), Applicability.UNSAFE)[0]["main.py"] == text


@pytest.mark.parametrize(
    "statement", ["left = done - other", "left = counts - done", "left = values[1 - done]"]
)
def test_what_may_be_meant_in_several_ways_is_left_alone(statement: str) -> None:
    text = PROGRAM.format(statement=statement)
    with pytest.raises(RuntimeError):
        run(text)
    assert fix_texts(files(text), Applicability.UNSAFE)[0]["main.py"] == text
