"""What moves under ``torch.inference_mode`` is no tensor for autograd: what a program trains with afterwards moves outside."""

from __future__ import annotations

import pytest
from text_program import fix_texts

HEAD = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""

DISTILLED = (
    HEAD
    + """
teacher = torch.nn.Linear(4, 3).to(device)
student = torch.nn.Linear(4, 3).to(device)
data = torch.utils.data.TensorDataset(torch.randn(8, 4), torch.randn(8, 3))
for batch in torch.utils.data.DataLoader(data):
    with {mode}:
        x, y = batch{moved}
        target = teacher({x}).softmax(-1)
    {after}
"""
)
_MOVED = "\n        x = x.to(device)"


def distilled(mode: str, after: str, *, moved: str = "", x: str = "x") -> str:
    return DISTILLED.format(mode=mode, after=after, moved=moved, x=x)


def test_what_autograd_uses_behind_the_block_moves_where_it_is_used() -> None:
    before = distilled("torch.inference_mode()", "(student(x) - target.clone()).sum().backward()")
    after = distilled(
        "torch.inference_mode()",
        "(student(x.to(device)) - target.clone()).sum().backward()",
        x="x.to(device)",
    )
    assert fix_texts({"main.py": before})[0]["main.py"] == after


@pytest.mark.parametrize(
    ("mode", "after"),
    [
        ("torch.no_grad()", "(student(x) - target).sum().backward()"),
        ("torch.inference_mode(mode=False)", "(student(x) - target).sum().backward()"),
        ("torch.inference_mode()", "print(student(x).sum(), target.sum())"),
        (
            "torch.inference_mode()",
            "x = torch.ones(4, device=device)\n    student(x).sum().backward()",
        ),
        ("torch.inference_mode()", "print(target.sum())\nstudent.weight.sum().backward()"),
    ],
)
def test_what_autograd_does_not_use_moves_once(mode: str, after: str) -> None:
    fixed = fix_texts({"main.py": distilled(mode, after)})[0]["main.py"]
    assert fixed == distilled(mode, after, moved=_MOVED)


HANDED = (
    HEAD
    + """
net = torch.nn.Linear(4, 3).to(device)


{decorator}
def first(batch):
    x, y = batch{moved}
    return x, net({x}).sum()


data = torch.utils.data.TensorDataset(torch.randn(8, 4), torch.randn(8, 3))
for batch in torch.utils.data.DataLoader(data):
    x, score = first(batch){later}
    net(x).sum().backward()
"""
)


def test_what_a_function_hands_back_moves_behind_it() -> None:
    parts = {"decorator": "@torch.inference_mode()"}
    before = HANDED.format(**parts, moved="", x="x", later="")
    after = HANDED.format(**parts, moved="", x="x.to(device)", later="\n    x = x.to(device)")
    assert fix_texts({"main.py": before})[0]["main.py"] == after


def test_what_a_function_hands_back_without_the_mode_moves_within() -> None:
    parts = {"decorator": "@torch.no_grad()", "x": "x", "later": ""}
    fixed = fix_texts({"main.py": HANDED.format(**parts, moved="")})[0]["main.py"]
    assert fixed == HANDED.format(**parts, moved="\n    x = x.to(device)")


MODEL = """\
import torch


def make():
    return torch.nn.Linear(4, 3)


def main():
    net = make()
    x = torch.randn(8, 4)
    with torch.inference_mode():
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        print(net(x.to(device)).sum())
    net(x.to(device)).sum().{end}


main()
"""


def test_a_model_that_is_trained_does_not_move_within() -> None:
    fixed = fix_texts({"main.py": MODEL.format(end="backward()")})[0]["main.py"]
    assert "make().to(DEVICE)" in fixed
    assert "        net.to(device)" not in fixed


def test_a_model_that_is_not_trained_moves_where_the_device_is_chosen() -> None:
    fixed = fix_texts({"main.py": MODEL.format(end="item()")})[0]["main.py"]
    assert "        net.to(device)\n" in fixed
