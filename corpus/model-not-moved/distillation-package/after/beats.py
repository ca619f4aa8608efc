import torch
from torch.utils.data import TensorDataset


def synthetic_beats(n, length=64, classes=5, seed=0):
    gen = torch.Generator().manual_seed(seed)
    label = torch.randint(0, classes, (n,), generator=gen)
    t = torch.linspace(-1, 1, length)
    centre = (label.float() - 2) / 4
    beat = torch.exp(-((t[None] - centre[:, None]) ** 2) / 0.02)
    beat = beat + 0.1 * torch.randn(n, length, generator=gen)
    return TensorDataset(beat.unsqueeze(1), label)
