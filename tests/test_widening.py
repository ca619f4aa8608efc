"""A helper that widens halves by its tables hands them back as halves."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

from devfix.findings import Applicability

HELPER = """
import torch


def rotated(x):
    a, b = x.chunk(2, -1)
    return torch.cat((-b, a), -1)


def apply_rotary(q, k, tables):
    cos, sin = tables
HERE
"""

MAIN = """
import torch
import torch.nn.functional as F
from torch import nn
from helper import apply_rotary


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(dim, dim) for _ in range(3))

    def forward(self, x, tables):
        q, k = apply_rotary(self.q(x), self.k(x), tables)
        return F.scaled_dot_product_attention(q, k, self.v(x))


angle = torch.ones(6, 8)
model = Attention(8).to(torch.bfloat16)
print(model(torch.randn(2, 6, 8).to(torch.bfloat16), (angle.cos(), angle.sin())))
"""


def _after(body: str, main: str = MAIN, level: Applicability = Applicability.UNSAFE) -> str:
    before = files(main, helper=HELPER.replace("HERE", body))
    return fix_texts(before, level)[0]["helper.py"].partition("cos, sin = tables\n")[2]


def test_what_is_returned_is_cast_back() -> None:
    body = "    return q * cos + rotated(q) * sin, k * cos + rotated(k) * sin"
    both = "(q * cos + rotated(q) * sin).to(q.dtype), (k * cos + rotated(k) * sin).to(k.dtype)"
    assert _after(body).strip() == f"return {both}"


def test_what_got_a_name_is_cast_there() -> None:
    body = "    outs = []\n    a = q * cos\n    b = torch.stack([k * cos]).flatten(0, 1)\n    return a, b"
    after = _after(body)
    assert "    a = (q * cos).to(q.dtype)\n" in after
    assert "torch.stack([k * cos]).flatten(0, 1).to(k.dtype)" in after


def test_what_is_joined_with_wider_parts_is_cast_back() -> None:
    body = "    both = torch.cat([cos[:1], q])\n    return both[:6], torch.cat([k[:, :5], cos[:, :1]], 1)"
    after = _after(body)
    assert "    both = torch.cat([cos[:1], q]).to(q.dtype)\n" in after
    assert "torch.cat([k[:, :5], cos[:, :1]], 1).to(k.dtype)\n" in after


def test_it_is_a_cast_that_somebody_has_to_ask_for() -> None:
    body = "    return q * cos, k * cos"
    assert _after(body, level=Applicability.SAFE).strip() == body.strip()


@pytest.mark.parametrize(
    "main",
    [
        MAIN.replace(".to(torch.bfloat16)", ""),
        MAIN.replace("angle.cos(), angle.sin()", "angle.cos().bfloat16(), angle.sin().bfloat16()"),
        MAIN.replace("self.v(x))", "self.v(x).float())"),
    ],
)
def test_what_meets_its_like_is_left_alone(main: str) -> None:
    body = "    return q * cos, k * cos"
    assert _after(body, main).strip() == body.strip()


def test_an_argument_that_is_replaced_tells_no_dtype() -> None:
    body = "    q = q * cos\n    return q + 0 * sin, k.float()"
    assert ".to(q.dtype)" not in _after(body)
