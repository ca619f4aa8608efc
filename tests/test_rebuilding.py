"""A comprehension that passes the parts of a batch on is where all of them move."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

PROGRAM = """
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, Dataset

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


    class Samples(Dataset):
        def __len__(self):
            return 8

        def __getitem__(self, index):
            return {"ids": torch.tensor([index, 1]), "label": torch.tensor(index // 4)}


    model = nn.Sequential(nn.Embedding(9, 4), nn.Flatten(), nn.Linear(8, 2)).to(device)
    for step, batch in enumerate(DataLoader(Samples(), batch_size=4)):
        %s
        loss = nn.functional.cross_entropy(model(batch["ids"]), batch["label"])
    print("RESULT", loss.item())
    """


@pytest.mark.parametrize(
    ("rebuilt", "moved"),
    [
        (
            "batch = {k: v for k, v in batch.items()}",
            "batch = {k: v.to(device) for k, v in batch.items()}",
        ),
        (
            "batch = dict((k, v) for k, v in batch.items())",
            "",
        ),
        (
            'batch = {k: v for k, v in batch.items() if k != "weight"}',
            'batch = {k: v.to(device) for k, v in batch.items() if k != "weight"}',
        ),
    ],
)
def test_the_parts_of_a_batch_move_where_it_is_rebuilt(rebuilt: str, moved: str) -> None:
    fixed = fix_texts(files(PROGRAM % rebuilt))[0]["main.py"]
    assert (moved or rebuilt) in fixed
    assert "device" in fixed.partition("for step")[2]


def test_what_may_be_no_tensor_is_asked_whether_it_can_move() -> None:
    text = (PROGRAM % "batch = {k: v for k, v in batch.items()}").replace(
        '"label": torch.tensor(index // 4)', '"label": torch.tensor(index // 4), "text": str(index)'
    )
    fixed = fix_texts(files(text))[0]["main.py"]
    assert 'v.to(device) if hasattr(v, "to") else v for k, v in' in fixed
