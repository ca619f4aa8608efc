"""A device that a caller takes from a variable of which nothing is known: that of a tensor, which may be anywhere."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
from torch.utils.data import DataLoader, Dataset
import sounds
import torchaudio

def filters(device, count):
    return torch.ones(count, count).to(device)

def spectrum(sound):
    if not torch.is_tensor(sound):
        if isinstance(sound, str):
            sound = sounds.read(sound)
    return filters({device}, 3) @ sound

class Sounds(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        sound, rate = torchaudio.load(index)
        if rate != 16000:
            sound = torchaudio.transforms.Resample(rate, 16000)(sound)
        return spectrum(sound[0])

for batch in DataLoader(Sounds(), num_workers=2):
    print(batch)
"""


def test_the_device_of_what_a_file_holds_is_not_the_accelerator() -> None:
    assert not clashes(PROGRAM.format(device="sound.device"))


@pytest.mark.parametrize("device", ["sounds.chosen()", "next(iter(sounds.known))"])
def test_where_the_choice_is_left_open_it_is(device: str) -> None:
    assert clashes(PROGRAM.format(device=device)) == ["26: worker"]
