"""Lengths that are read on the CPU stay there: what is computed from them moves by itself."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

MODEL = """
    import torch
    from torch import nn
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

    {helper}

    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(4, 4, batch_first=True)

        def encode(self, x, lengths):
            packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
            return pad_packed_sequence(self.lstm(packed)[0], batch_first=True)[0]

        def forward(self, x, lengths):
            h = self.encode(x, lengths)
            {more}
            return {result}
"""
MAIN = """
    import torch
    from model import Tagger

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Tagger().to(device)
    for x in torch.randn(3, 2, 5, 4):
        lengths = torch.tensor([5, 3])
        print(model(x.to(device), lengths).sum())
"""
HELPER = (
    "def mask_of(lengths):\n        return torch.arange(5, device=lengths.device)[None] < lengths[:, None]"
)
MASK = "torch.arange(5)[None] < lengths[:, None]"


def added(model: str, main: str = MAIN) -> list[str]:
    """The lines that the repair adds."""
    texts = files(main, model=model)
    after = fix_texts(texts)[0]
    lines = [(line, path) for path in texts for line in after[path].splitlines() if line.strip()]
    return [line.strip() for line, path in lines if line not in texts[path].splitlines()]


@pytest.mark.parametrize(
    ("helper", "more", "result", "fixed"),
    [
        (HELPER, "", "h * mask_of(lengths)[..., None]", "return h * mask_of(lengths).to(h.device)[..., None]"),
        (HELPER, "mask = mask_of(lengths)", "h * mask[..., None]", "mask = mask_of(lengths).to(h.device)"),
        ("", f"mask = {MASK}", "h * mask[..., None]", f"mask = ({MASK}).to(h.device)"),
        ("", "", "h.sum(1) / lengths[:, None]", "return h.sum(1) / lengths[:, None].to(h.device)"),
    ],
)  # fmt: skip
def test_the_mask_moves(helper: str, more: str, result: str, fixed: str) -> None:
    assert added(MODEL.format(helper=helper, more=more, result=result)) == [fixed]


def test_lengths_that_nobody_reads_on_the_host_move_themselves() -> None:
    model = MODEL.format(helper="", more="", result="h.sum(1) / lengths[:, None]")
    model = model.replace("pack_padded_sequence(x, lengths,", "pack_padded_sequence(x, [5, 3],")
    assert added(model) == ["lengths = torch.tensor([5, 3], device=device)"]


def test_a_mask_that_is_moved_stays() -> None:
    assert (
        added(MODEL.format(helper=HELPER, more="", result="h * mask_of(lengths).to(h.device)[..., None]"))
        == []
    )


LOADER = """
    import torch
    from torch.utils.data import DataLoader, TensorDataset
    from model import Tagger

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Tagger().to(device)
    data = TensorDataset(torch.randn(8, 5, 4), torch.tensor([5, 3] * 4))
    for x, lengths in DataLoader(data, batch_size=2):
        print(model({x}, lengths).sum())
"""


@pytest.mark.parametrize(
    ("x", "result", "fixed"),
    [
        ("x", "h", ["x = x.to(device)"]),
        (
            "x.to(device)",
            "h * mask_of(lengths)[..., None]",
            ["return h * mask_of(lengths).to(h.device)[..., None]"],
        ),
    ],
)
def test_of_a_batch_only_the_lengths_stay(x: str, result: str, fixed: list[str]) -> None:
    assert added(MODEL.format(helper=HELPER, more="", result=result), LOADER.format(x=x)) == fixed


CRITERION = """
    import torch
    from losses import balanced

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    labels = torch.tensor([0, 1, 1, 2])
    model = torch.nn.Linear(4, 3).to(device)
    criterion = balanced({labels})
    print(labels.numpy())
    for x in torch.randn(3, 4, 4):
        print({called}(model(x.to(device)), torch.tensor([0, 1, 1, 2], device=device)))
"""
LOSSES = """
    import torch

    def balanced(labels):
        return torch.nn.CrossEntropyLoss(weight=torch.bincount(labels).float().sqrt())
"""


def losses_added(labels: str, called: str = "criterion") -> list[str]:
    """The lines that the repair adds to a program whose loss weighs labels that are read on the CPU, too."""
    texts = files(CRITERION.format(labels=labels, called=called), losses=LOSSES)
    after = fix_texts(texts)[0]
    lines = [(line, path) for path in texts for line in after[path].splitlines() if line.strip()]
    return [line.strip() for line, path in lines if line not in texts[path].splitlines()]


def test_a_loss_that_weighs_them_moves_once() -> None:
    assert losses_added("labels") == ["criterion = balanced(labels).to(device)"]


@pytest.mark.parametrize(
    ("labels", "called"), [("labels.to(device)", "criterion"), ("labels", "criterion.to(device)")]
)
def test_a_loss_that_is_where_it_should_be_stays(labels: str, called: str) -> None:
    assert losses_added(labels, called) == []
