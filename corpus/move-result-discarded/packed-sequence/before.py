import random

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_sequence

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class StrokeEncoder(nn.Module):
    """Pen strokes of different lengths -> shape class."""

    def __init__(self, hidden=16, classes=3):
        super().__init__()
        self.lstm = nn.LSTM(2, hidden)
        self.linear = nn.Linear(hidden, classes)

    def forward(self, packed):
        _, (h, _) = self.lstm(packed)
        return self.linear(h[-1])


def stroke(kind, length, gen):
    t = torch.linspace(0, 1, length)
    if kind == 0:
        xy = torch.stack([t, t], 1)
    elif kind == 1:
        xy = torch.stack([t, 1 - t], 1)
    else:
        xy = torch.stack([torch.cos(6.28 * t), torch.sin(6.28 * t)], 1)
    return xy + 0.05 * torch.randn(length, 2, generator=gen)


def batches(n_batches, size, seed):
    rng, gen = random.Random(seed), torch.Generator().manual_seed(seed)
    for _ in range(n_batches):
        kinds = [rng.randrange(3) for _ in range(size)]
        strokes = [stroke(k, rng.randint(5, 20), gen) for k in kinds]
        yield strokes, torch.tensor(kinds)


def train():
    torch.manual_seed(0)
    model = StrokeEncoder().to(DEVICE)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for i, (strokes, kinds) in enumerate(batches(30, 32, seed=1)):
        packed = pack_sequence(strokes, enforce_sorted=False)
        packed.to(DEVICE)
        loss = nn.functional.cross_entropy(model(packed), kinds.to(DEVICE))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if i % 10 == 0:
            print(i, round(loss.item(), 4))
    return loss.item()


if __name__ == "__main__":
    print("RESULT", train())
