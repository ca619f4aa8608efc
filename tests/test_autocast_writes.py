"""What is written into a tensor under autocast: only two functions widen what they are given."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

HEAD = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
layer = nn.Linear(4, 4).to(device)
x = torch.ones(6, 4, device=device)
at = torch.arange(6, device=device) % 2
out = torch.zeros(6, 4, device=device)
with torch.autocast(device.type, dtype=torch.float16):
    y = layer(x)
"""
WRITES = [
    "out.index_add_(0, at, y)",
    "out.index_copy_(0, at, y)",
    "out.scatter_add_(0, at[:, None].expand(-1, 4), y)",
    "out = torch.index_add(out, 0, at, y)",
    "out[at] = y",
]


@pytest.mark.parametrize("write", WRITES)
def test_the_source_is_cast(write: str) -> None:
    mended, _ = fix_texts({"main.py": f"{HEAD}    {write}\n"}, Applicability.UNSAFE)
    assert "y.float()" in mended["main.py"] or "y.to(out.dtype)" in mended["main.py"]


@pytest.mark.parametrize(
    "write",
    [
        "out = out.scatter_add(0, at[:, None].expand(-1, 4), y)",
        "out = out.index_put((at,), y)",
        "out[:6] = y",
        "out.copy_(y)",
        "out += y",
        "out.index_add_(0, at, x)",
    ],
)
def test_what_autocast_or_a_copy_casts_is_left_alone(write: str) -> None:
    assert clashes(f"{HEAD}    {write}\n") == []


@pytest.mark.parametrize("layer", ["Softplus()", "Softmax(1)", "LogSoftmax(1)"])
def test_what_a_layer_computes_in_float32_is_written_as_it_is(layer: str) -> None:
    assert not clashes(f"{HEAD}    out[at] = nn.{layer}(y)\n")


@pytest.mark.parametrize("layer", ["ReLU()", "Dropout(0.1)"])
def test_what_a_layer_leaves_a_half_is_not(layer: str) -> None:
    assert clashes(f"{HEAD}    out[at] = nn.{layer}(y)\n")
