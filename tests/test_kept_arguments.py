"""What a plain object keeps of what its constructor is given moves where that is handed over, not in each method."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

LOSSES = """
    import torch

    class Focal:
        def __init__(self, weights, gamma=2.0):
            {keep}
            self.gamma = gamma

        def __call__(self, logits, target):
            chance = logits.softmax(1).gather(1, target[:, None]).squeeze(1)
            weight = self.weights[target]
            return -(weight * (1 - chance) ** self.gamma * chance.log()).mean()
"""
MAIN = """
    import torch
    from torch.utils.data import DataLoader, Dataset
    from losses import Focal

    class Rows(Dataset):
        def __init__(self):
            self.labels = torch.arange(12) % 3

        def __len__(self):
            return 12

        def __getitem__(self, i):
            return torch.ones(4), self.labels[i]

        def weights(self):
            counts = torch.bincount(self.labels).float()
            return counts.sum() / counts

    def main():
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        rows = Rows()
        net = torch.nn.Linear(4, 3).to(device)
        loss = Focal({given})
        for x, y in DataLoader(rows, batch_size=4):
            x, y = x.to(device), y.to(device)
            print(loss(net(x), y).item())
        {more}

    main()
"""
KEEP, AT_USE = "self.weights = weights", "weight = self.weights.to(target.device)[target]"


def repaired(given: str, keep: str = KEEP, more: str = "") -> tuple[str, str]:
    """The script and the losses afterwards."""
    texts = files(MAIN.format(given=given, more=more), losses=LOSSES.format(keep=keep))
    after = fix_texts(texts)[0]
    return after["main.py"], after["losses.py"]


@pytest.mark.parametrize(
    ("given", "moved"),
    [
        ("rows.weights()", "rows.weights().to(device)"),
        ("rows.weights(), gamma=1.5", "rows.weights().to(device), gamma=1.5"),
        ("gamma=1.5, weights=rows.weights()", "gamma=1.5, weights=rows.weights().to(device)"),
    ],
)
def test_it_moves_once_where_it_is_handed_over(given: str, moved: str) -> None:
    main, losses = repaired(given)
    assert f"loss = Focal({moved})" in main
    assert "weight = self.weights[target]" in losses


@pytest.mark.parametrize(
    "keep",
    [
        f"print(weights.numpy())\n            {KEEP}",
        "self.weights = weights * 2",
        f"{KEEP}\n            self.most = weights.argmax()",
    ],
)
def test_what_the_constructor_does_more_with_moves_elsewhere(keep: str) -> None:
    main, _ = repaired("rows.weights()", keep)
    assert "Focal(rows.weights())" in main


def test_it_moves_at_its_use_where_another_maker_knows_no_device() -> None:
    """A function that nobody calls may be asked for one for the CPU."""
    main, losses = repaired(
        "rows.weights()", more="\n\n    def plain(rows):\n        return Focal(rows.weights())"
    )
    assert "return Focal(rows.weights())\n" in main
    assert "loss = Focal(rows.weights())\n" in main
    assert AT_USE in losses


def test_it_moves_at_its_use_where_the_object_is_used_on_the_cpu_as_well() -> None:
    more = "print(loss(torch.ones(2, 3), torch.zeros(2).long()))"
    main, losses = repaired("rows.weights()", more=more)
    assert "loss = Focal(rows.weights())\n" in main
    assert AT_USE in losses
