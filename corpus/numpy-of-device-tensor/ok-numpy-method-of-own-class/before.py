import numpy as np
import torch
import torch.nn as nn


class Signal:
    """Samples with a rate; ``numpy`` is a method of ours and knows about devices."""

    def __init__(self, samples, rate):
        self.samples, self.rate = samples, rate

    def to(self, device):
        return Signal(self.samples.to(device), self.rate)

    def numpy(self):
        return self.samples.detach().cpu().numpy()


class Replay:
    def __init__(self, capacity, width):
        self.store = np.zeros((capacity, width), dtype=np.float32)
        self.size = 0

    def add(self, rows):
        self.store[self.size:self.size + len(rows)] = rows
        self.size += len(rows)

    def sample(self, n, rng, device):
        return torch.as_tensor(self.store[rng.integers(0, self.size, n)], device=device)


def main():
    torch.manual_seed(74)
    rng = np.random.default_rng(74)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    replay = Replay(200, 16)
    gain = nn.Linear(16, 16, bias=False).to(device)
    optimizer = torch.optim.SGD(gain.parameters(), lr=0.05)
    for step in range(10):
        signal = Signal(torch.randn(20, 16), 8000).to(device)
        replay.add(signal.numpy())
        batch = replay.sample(32, rng, device)
        loss = (gain(batch) - 0.5 * batch).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("filled", replay.size, "loss", loss.item())
    print("RESULT", loss.item())


main()
