"""What a collate function rebuilt only to move it is handed on as it is, when the move goes where batches are used."""

from __future__ import annotations

import pytest
from text_program import fix_texts

_TEXT = """
import torch
from torch.utils.data import DataLoader, TensorDataset, default_collate

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 2).to(device)


def collate(rows):
    x, y = default_collate(rows)
    batch = {batch}
    {code}


for batch in DataLoader(TensorDataset(torch.ones(8, 3), torch.ones(8)), 4, collate_fn=collate, num_workers=2):
    print(net({x}))
"""
_DICT = ('{"x": x, "y": y}', 'batch["x"]')
_PAIR = ("[x, y]", "batch[0]")


@pytest.mark.parametrize(
    ("form", "code", "left"),
    [
        (_DICT, "return {k: v.to(device) for k, v in batch.items()}", "return dict(batch)"),
        (
            _DICT,
            "return {k: v.to(device) if torch.is_tensor(v) else v for k, v in batch.items()}",
            "return dict(batch)",
        ),
        (_DICT, "batch = {k: v.to(device) for k, v in batch.items()}\n    return batch", "return batch"),
        (_PAIR, "return [t.to(device) for t in batch]", "return list(batch)"),
        (_PAIR, "return tuple(t.to(device) for t in batch)", "return tuple(t for t in batch)"),
        (_PAIR, "x, y = [t.to(device) for t in batch]\n    return x, y", "x, y = batch\n    return x, y"),
        (_PAIR, "x, y = (t.to(device) for t in batch)\n    return x, y", "x, y = batch\n    return x, y"),
        # What changes more than the place stays, and so does what leaves something out.
        (
            _DICT,
            "return {k: v.to(device).float() for k, v in batch.items()}",
            "return {k: v.float() for k, v in batch.items()}",
        ),
        (
            _DICT,
            "return {k[:1]: v.to(device) for k, v in batch.items()}",
            "return {k[:1]: v for k, v in batch.items()}",
        ),
        (
            _PAIR,
            "return [t.to(device) for t in batch if len(t) > 1]",
            "return [t for t in batch if len(t) > 1]",
        ),
    ],
)
def test_the_comprehension_goes_with_its_move(form: tuple[str, str], code: str, left: str) -> None:
    batch, x = form
    text = _TEXT.format(batch=batch, code=code, x=x)
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert fixed.partition("\n\n\nfor ")[0] == text.partition("\n\n\nfor ")[0].replace(code, left)
    assert ".to(device)" in fixed.partition("\n\n\nfor ")[2]
