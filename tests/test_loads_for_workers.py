"""Files of tensors that a dataset hands to the workers of a loader are loaded to the CPU."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

LOADED = """
import torch
from torch.utils.data import DataLoader, Dataset

device = "cuda" if torch.cuda.is_available() else "cpu"

class Features(Dataset):
    def __init__(self, path):
        self.rows = {load}

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]

torch.save(torch.ones(8, 3).to(device), "rows.pt")
loader = DataLoader(Features("rows.pt"), batch_size=4, {options})
for x in loader:
    x = x.to(device)
    print((x + torch.ones(3, device=device)).sum())
"""


def mended(load: str, options: str) -> tuple[str, str]:
    text = LOADED.format(load=load, options=options)
    return text, fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]


def test_what_workers_hand_out_is_loaded_to_the_cpu() -> None:
    before, after = mended("torch.load(path)", "num_workers=2")
    assert after == before.replace("torch.load(path)", 'torch.load(path, map_location="cpu")')


@pytest.mark.parametrize("load", ["torch.load(path).to(device)", "torch.load(path, map_location=device)"])
def test_what_was_put_there_on_purpose_is_loaded_in_the_main_process(load: str) -> None:
    before, after = mended(load, "num_workers=2")
    assert after == before.replace("num_workers=2", "num_workers=0")


def test_without_workers_a_file_may_be_loaded_to_the_accelerator() -> None:
    before, after = mended("torch.load(path, map_location=device)", "num_workers=0")
    assert after == before
