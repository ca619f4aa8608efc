import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset


class SpokenCommands(Dataset):
    """Fake log-mel frames whose pitch rises, falls or stays."""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.items = []
        for i in range(n):
            frames = int(torch.randint(6, 15, (1,), generator=g))
            slope = (i % 3) - 1
            pitch = 5 + slope * torch.linspace(-4, 4, frames)
            mel = torch.exp(-(torch.arange(10) - pitch[:, None]) ** 2 / 4)
            self.items.append((mel + 0.1 * torch.randn(frames, 10, generator=g), i % 3))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def pad_batch(samples):
    frames, commands = zip(*samples)
    lengths = torch.tensor([len(f) for f in frames])
    return pad_sequence(frames, batch_first=True), lengths, torch.tensor(commands)
