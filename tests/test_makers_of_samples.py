"""What a function makes for the batches of a loader stays on the CPU there; what else it makes moves where that is used."""

from __future__ import annotations

import pytest
from text_program import check_texts, fix_texts

PROGRAM = """
import torch
from torch.utils.data import DataLoader
from transformers import BertConfig, BertModel

{choice}

def tokenize(n):
    ids = torch.zeros(n, 4, dtype=torch.long)
    att = torch.zeros(n, 4, dtype=torch.long)
    return {{"input_ids": ids, "attention_mask": att{more}}}

def collate(rows):
    return tokenize(len(rows))

class Watch:
    def __init__(self, n):
        self.encoded = tokenize(n)

    def look(self, net):
        return net(**{entry})

net = BertModel(BertConfig()).to({device})
watch = Watch(3)
for batch in DataLoader([1, 2, 3], collate_fn={collate}, num_workers=2):
    print(net({given}))
print(watch.look(net))
"""
_BATCH = 'batch["input_ids"].to({0}), batch["attention_mask"].to({0})'


def _program(entry: str = "self.encoded", device: str = "device", **changes: str) -> str:
    choice = 'device = torch.device("cuda")' if device == "device" else ""
    known = {"choice": choice, "more": "", "collate": "collate", "given": _BATCH.format(device)} | changes
    return PROGRAM.format(entry=entry, device=device, **known)


def _fixed(text: str) -> str:
    fixed, _ = fix_texts({"main.py": text})
    assert check_texts(fixed) == []
    return fixed["main.py"]


@pytest.mark.parametrize(
    ("changes", "moved"),
    [
        ({}, "{k: v.to(device) for k, v in self.encoded.items()}"),
        (
            {"more": ', "name": "probe"'},
            '{k: v.to(device) if hasattr(v, "to") else v for k, v in self.encoded.items()}',
        ),
        (
            {"device": '"cuda"'},
            "{k: v.to(next(net.parameters()).device) for k, v in self.encoded.items()}",
        ),
    ],
)
def test_a_dict_that_is_spread_moves_where_it_is(changes: dict[str, str], moved: str) -> None:
    assert _fixed(_program(**changes)) == _program(moved, **changes)


def test_what_no_loader_is_given_is_made_on_the_device() -> None:
    text = _program(collate="None", given="batch[:, None].to(device)")
    assert _fixed(text) == text.replace("torch.long)", "torch.long, device=device)")


@pytest.mark.parametrize(
    "entry",
    [
        "{k: v.to(device) for k, v in self.encoded.items()}",
        "dict(input_ids=torch.tensor([[1, 2]]).to(device))",
    ],
)
def test_what_has_moved_stays(entry: str) -> None:
    text = _program(entry)
    assert _fixed(text) == text


SAMPLES = """
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda")

def blank(n):
    return torch.zeros(n)

class Rows(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return blank(4)

class Probe:
    def __init__(self):
        self.row = blank(4)

    def look(self, net):
        return net(self.row)

net = nn.Linear(4, 4).to(device)
probe = Probe()
for rows in DataLoader(Rows(), num_workers=2):
    print(net(rows.to(device)))
print(probe.look(net))
"""


def test_samples_of_a_dataset_stay_on_the_cpu() -> None:
    assert _fixed(SAMPLES) == SAMPLES.replace("self.row = blank(4)", "self.row = blank(4).to(device)")
