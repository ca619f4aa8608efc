"""The transforms of torchaudio have windows and filters as buffers, which a waveform meets."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

HEAD = """import torch
import torchaudio
from torch import nn
from torchaudio import transforms as T

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
wave = torch.randn(2, 16000).to(device)
"""


@pytest.mark.parametrize(
    "made",
    [
        "torchaudio.transforms.MelSpectrogram(sample_rate=16000, n_mels=64)",
        "T.Spectrogram(n_fft=400)",
        "T.Resample(8000, 16000)",
        "T.Resample(orig_freq=44100)",
        "nn.Sequential(T.MelSpectrogram(16000), T.AmplitudeToDB())",
    ],
)
def test_one_that_stays_on_the_host_is_moved_where_it_is_made(made: str) -> None:
    text = f"{HEAD}transform = {made}\nprint(transform(wave).mean())\n"
    assert clashes(text) == ["9: device"]
    assert f"transform = {made}.to(device)" in fix_texts({"main.py": text})[0]["main.py"]


@pytest.mark.parametrize(
    "line",
    [
        "print(T.MelSpectrogram(16000).to(device)(wave).mean())",
        "print(T.MelSpectrogram(16000)(wave.cpu()).mean())",
        # What has no buffers works anywhere, and a rate that stays what it is needs none.
        "print(T.AmplitudeToDB()(wave), T.FrequencyMasking(3)(wave))",
        "print(T.Resample(16000, 16000)(wave), T.Resample()(wave))",
        "print(T.Resample(int(input()), 16000)(wave))",
        # Nothing is said of gradients: NumPy reads what comes out.
        "print(T.MelSpectrogram(16000)(torch.randn(2, 16000)).numpy())",
    ],
)
def test_what_is_right_stays_so(line: str) -> None:
    assert not clashes(f"{HEAD}{line}\n")


def test_one_that_a_module_has_moves_with_it() -> None:
    text = f"""{HEAD}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.front = T.MFCC(sample_rate=16000)
        self.layer = nn.Linear(40, 2)

    def forward(self, x):
        return self.layer(self.front(x).mean(-1))

print(Net().to(device)(wave))
"""
    assert not clashes(text)
    assert len(clashes(text.replace("self.front(x)", "T.MFCC(sample_rate=16000)(x)"))) == 1
