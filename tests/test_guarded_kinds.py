"""Tests that tell kinds of values apart: what stands behind them is not for the other kinds."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes

COLLATE = """
import collections.abc
import torch
def collate(batch):
    if {test}:
        return {{key: collate([d[key] for d in batch]) for key in batch[0]}}
    return torch.stack(batch)
collate([torch.zeros(3), torch.zeros(3)])
"""


@pytest.mark.parametrize(
    "test",
    [
        "isinstance(batch[0], collections.abc.Mapping)",
        "all(isinstance(b, dict) for b in batch)",
        "all([isinstance(b, dict) for b in batch])",
        "any(isinstance(b, dict) for b in batch)",
        "batch[0].__class__.__name__ == 'dict'",
        "type(batch[0]).__name__ == 'dict'",
    ],
)
def test_tensors_are_not_taken_for_dicts(test: str) -> None:
    assert clashes(COLLATE.format(test=test)) == []


def test_where_nothing_is_asked_the_keys_of_a_tensor_are_floats() -> None:
    assert clashes(COLLATE.format(test="len(batch) > 1"))[0].endswith("index-dtype")


def test_quantifiers_are_what_python_makes_of_them() -> None:
    assert (
        lies(
            """
            import torch
            x = torch.zeros(2)
            pair = [x, x]
            a = all(isinstance(t, torch.Tensor) for t in pair)
            b = any(isinstance(t, dict) for t in pair)
            c = all([])
            d = any(())
            e = all(x)
            f = x.__class__.__name__ == "dict"
            g = type(pair).__name__ != "list"
            h = any([isinstance(pair, list), x])
            """
        )
        == []
    )


RANKS = """
import torch
def loss(logits, labels):
    if {test}:
        onehot = torch.zeros_like(logits)
        onehot.scatter_(1, labels[..., None], 1)
    else:
        onehot = labels
    return (logits * onehot).sum()
def run(flag):
    logits = torch.rand(3, 4)
    labels = logits.softmax(1)
    if flag:
        labels = labels[0]
    loss(logits, labels)
run(open("flag").read())
"""


@pytest.mark.parametrize(
    "test",
    ["labels.dim() < logits.dim()", "len(labels.shape) < len(logits.shape)", "labels.ndim != logits.ndim"],
)
def test_labels_of_another_rank_are_of_another_kind(test: str) -> None:
    assert clashes(RANKS.format(test=test)) == []


def test_labels_of_any_rank_are_what_they_are() -> None:
    assert clashes(RANKS.format(test="logits.numel() > 3")) != []


@pytest.mark.parametrize(
    "test",
    ["labels.dtype.is_floating_point", "labels.is_floating_point()", "torch.is_floating_point(labels)"],
)
def test_labels_that_are_floats_are_not_taken_for_classes(test: str) -> None:
    text = """
    import torch
    import torch.nn.functional as F
    def encoded(labels):
        if not {test}:
            labels = F.one_hot(labels, 3)
        return labels
    encoded(torch.rand(4, 3))
    encoded(torch.arange(3))
    """
    assert clashes(text.format(test=test)) == []


def test_what_a_dtype_says_of_itself_is_so() -> None:
    assert (
        lies(
            """
            import torch
            a = torch.rand(2).dtype.is_floating_point
            b = torch.arange(2).dtype.is_floating_point
            c = torch.bool.is_floating_point
            d = torch.complex64.is_complex
            e = torch.float16.is_complex
            """
        )
        == []
    )


CODES = """
import json
import torch
from torch import nn

class Codes(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.codes = nn.Conv2d(3, 8, 3), nn.Embedding(8, 4)

    def forward(self, x):
        if {test}:
            x = self.encoder(x).argmax(dim=1).flatten(1)
        return self.codes(x)

x = torch.randint(0, 8, {sizes}){kind}
print(Codes()(x))
"""
UNKNOWN_SIZES = "json.load(open('sizes.json'))"


@pytest.mark.parametrize("test", ["len(x.shape) == 4", "x.dim() > 2", "x.ndim == 4"])
def test_codes_are_told_from_pictures_by_their_rank(test: str) -> None:
    assert not clashes(CODES.format(test=test, sizes=UNKNOWN_SIZES, kind=""))


@pytest.mark.parametrize(
    ("sizes", "kind", "test"),
    [
        ("(1, 3, 4, 4)", "", "len(x.shape) == 4"),
        (UNKNOWN_SIZES, ".double()", "len(x.shape) == 4"),
        (UNKNOWN_SIZES, "", "x.size(0) == 4"),
    ],
)
def test_a_rank_that_is_known_tells_nothing_else(sizes: str, kind: str, test: str) -> None:
    assert clashes(CODES.format(test=test, sizes=sizes, kind=kind))
