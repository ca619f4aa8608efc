"""Nested and padded tensors are where their first row is, or where they are told to be; the rows may be elsewhere."""

from __future__ import annotations

import pytest
from text_program import clashes

HEAD = """
import torch
from torch import nn
from torch.nn.utils import rnn

near, far = torch.ones(2, 3), torch.ones(4, 3).cuda()
wide = torch.ones(2, 3, dtype=torch.float64).cuda()
lin, out = nn.Linear(3, 3).cuda(), torch.ones(2, 4, 3)
"""


def _clashes(use: str) -> list[str]:
    return [line.partition(": ")[2] for line in clashes(HEAD + use)]


@pytest.mark.parametrize(
    ("use", "found"),
    [
        ("rnn.pad_sequence([far, near], batch_first=True)", []),  # an H200 copies the rows
        ("rnn.pad_sequence([near, far], batch_first=True)", []),
        ("rnn.pad_sequence([far, near], batch_first=True) + out", ["device"]),
        ("rnn.pad_sequence([near, far], batch_first=True) + out", []),
        ("lin(rnn.pad_sequence([far, wide]))", []),
        ("lin(rnn.pad_sequence([wide, far]))", ["dtype"]),
        ("rows = [far] if out.sum() > 0 else [near]\nrnn.pad_sequence(rows) + out", []),
        ("lin(torch.nested.nested_tensor([near, near]))", ["device"]),
        ("lin(torch.nested.nested_tensor([near, near], device='cuda'))", []),
        ("lin(torch.nested.nested_tensor([far, near]))", ["device"]),  # an H200 copies none of these
        ("lin(torch.nested.as_nested_tensor([near, near]).cuda())", []),
        ("lin(torch.nested.nested_tensor([near], dtype=torch.float64, device='cuda'))", ["dtype"]),
        ("torch.nested.to_padded_tensor(torch.nested.nested_tensor([far, far]), 0.0) + out", ["device"]),
        ("torch.nested.to_padded_tensor(torch.nested.nested_tensor([near, near]), 0.0) + out", []),
    ],
)
def test_rows_are_taken_to_the_first(use: str, found: list[str]) -> None:
    assert _clashes(use) == found


def test_lengths_of_segments_are_where_the_data_is() -> None:
    lengths = "torch.segment_reduce({}, 'sum', lengths=torch.tensor([1, 1]){})"
    assert _clashes(lengths.format("far", "")) == ["device"]
    assert _clashes(lengths.format("far", ".cuda()")) == []
    assert _clashes(lengths.format("near", "")) == []


@pytest.mark.parametrize("name", ["vjp", "jvp", "hvp", "vhp"])
def test_a_vector_that_is_multiplied_with_a_derivative_is_beside_it(name: str) -> None:
    use = f"from torch.autograd.functional import {name}\n{name}(lambda v: (v ** 2).sum(), far, {{}})"
    vector = "torch.tensor(1.0{}).reshape(())" if name == "vjp" else "torch.ones(4, 3{})"
    if name != "vjp":  # a number is excused
        assert _clashes(use.format(vector.format(""))) == ["device"]
    assert _clashes(use.format(vector.format(', device="cuda"'))) == []
