"""A ``BatchEncoding`` that the program makes itself: its tensors, and how it moves."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

PROGRAM = """
import torch
from torch.utils.data import DataLoader
from transformers import BatchEncoding, BertConfig, BertModel

def collate(rows):
    ids = torch.tensor(rows)
    return BatchEncoding({{"input_ids": ids, "attention_mask": torch.ones_like(ids)}}), torch.tensor(rows)

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = BertModel(BertConfig()).to(device)
for batch, labels in DataLoader([[1, 2], [3, 4]], collate_fn=collate):
    {moved}
    labels = labels.to(device)
    hidden = model({given})[0]
    print(hidden * batch["attention_mask"] * labels)
"""
_GIVEN = ["**batch", 'batch["input_ids"]', "input_ids=batch.input_ids"]


@pytest.mark.parametrize("given", _GIVEN)
def test_it_moves_by_itself(given: str) -> None:
    assert clashes(PROGRAM.format(moved="pass", given=given))
    for moved in ("batch = batch.to(device)", "batch.to(device)"):
        assert clashes(PROGRAM.format(moved=moved, given=given)) == []


def test_a_loop_moves_it_as_a_whole() -> None:
    texts, _ = fix_texts({"main.py": PROGRAM.format(moved="pass", given="**batch")})
    text = texts["main.py"]
    assert "    batch = batch.to(device)\n" in text
    assert clashes(text) == []


ROWS = """
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from transformers import BatchEncoding

class Rows(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return BatchEncoding({{"x": torch.ones(4), "weight": torch.tensor(2.0)}})

net = nn.Linear(4, 4).cuda()
for batch in DataLoader(Rows(), batch_size=2):
    print(net(batch["x"]{moved}) * batch["weight"]{moved})
"""


def test_a_loader_makes_one_of_several() -> None:
    assert len(clashes(ROWS.format(moved=""))) == 2  # numbers of one dimension are no scalars any more
    assert clashes(ROWS.format(moved=".cuda()")) == []
